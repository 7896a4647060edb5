#pragma once
// The descriptors of NetLogger's two forms.

#include "tools/interop/foreign_format.hpp"

namespace ringside::tool {

extern const ForeignFormat kNetLoggerFormat;
extern const ForeignFormat kUlmFormat;

}  // namespace ringside::tool
