#pragma once
// The descriptor of NanoLog's files.

#include "tools/interop/foreign_format.hpp"

namespace ringside::tool {

extern const ForeignFormat kNanoLogFormat;

}  // namespace ringside::tool
