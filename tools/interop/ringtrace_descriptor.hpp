#pragma once
// The descriptor of Ringside's own trace files.

#include "tools/interop/foreign_format.hpp"

namespace ringside::tool {

extern const ForeignFormat kRingtraceFormat;

}  // namespace ringside::tool
