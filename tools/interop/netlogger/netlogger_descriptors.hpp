#pragma once
// The descriptors of NetLogger's forms.

#include "tools/interop/foreign_format.hpp"

namespace ringside::tool {

extern const ForeignFormat kNetLoggerFormat;
extern const ForeignFormat kNetLogger10Format;
extern const ForeignFormat kUlmFormat;

}  // namespace ringside::tool
