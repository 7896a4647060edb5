#pragma once
// The descriptor of Heph traces.

#include "tools/interop/foreign_format.hpp"

namespace ringside::tool {

extern const ForeignFormat kHephFormat;

}  // namespace ringside::tool
