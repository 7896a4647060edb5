#pragma once
// Takes what many senders of NetLogger's messages send at once, each in its byte order.

#include <string>

#include "tools/interop/format_registry.hpp"

namespace ringside::tool {

// Listens at "tcp://HOST:PORT" and gives the builder what comes, until SIGINT or SIGTERM; what had
// arrived by then is taken. Says on standard error where it listens. Senders that die, or send what
// is no message, end their own connection alone; the outcome's warnings count them.
ReadOutcome collect_netlogger(const std::string& address, TraceBuilder& builder,
                              ConversionReport& report);

}  // namespace ringside::tool
