#pragma once
// The descriptor of the Common Trace Format.

#include "tools/interop/foreign_format.hpp"

namespace ringside::tool {

extern const ForeignFormat kCtfFormat;

}  // namespace ringside::tool
