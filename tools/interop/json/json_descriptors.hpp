#pragma once
// The descriptors of the formats in JSON that are read and written.

#include "tools/interop/foreign_format.hpp"

namespace ringside::tool {

extern const ForeignFormat kChromeFormat;
extern const ForeignFormat kNdJsonFormat;

}  // namespace ringside::tool
