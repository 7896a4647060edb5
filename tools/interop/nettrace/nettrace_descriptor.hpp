#pragma once
// The descriptor of NetTrace files.

#include "tools/interop/foreign_format.hpp"

namespace ringside::tool {

extern const ForeignFormat kNetTraceFormat;

}  // namespace ringside::tool
