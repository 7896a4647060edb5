#pragma once
// The descriptor of Perfetto's traces.

#include "tools/interop/foreign_format.hpp"

namespace ringside::tool {

extern const ForeignFormat kPerfettoFormat;

}  // namespace ringside::tool
