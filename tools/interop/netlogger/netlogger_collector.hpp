#pragma once
// Receives NetLogger messages from many senders at once, each in its own byte order.

#include <string>

#include "tools/interop/collector_context.hpp"
#include "tools/interop/conversion_report.hpp"
#include "tools/interop/read_outcome.hpp"
#include "tools/interop/trace_builder.hpp"

namespace ringside::tool {

// Listens at "tcp://HOST:PORT" and gives the builder what arrives, until SIGINT or SIGTERM. Takes
// what had arrived by then. Reports at once where it listens. A sender that dies, or
// sends an invalid message, ends only its own connection; the outcome's warnings count these.
ReadOutcome collect_netlogger(const std::string& address, TraceBuilder& builder,
                              ConversionReport& report, const CollectorContext& context);

}  // namespace ringside::tool
