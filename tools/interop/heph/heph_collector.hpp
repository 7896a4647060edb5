#pragma once
// Receives Heph traces from many senders at once, over connections and as datagrams.

#include <string>

#include "tools/interop/collector_context.hpp"
#include "tools/interop/conversion_report.hpp"
#include "tools/interop/read_outcome.hpp"
#include "tools/interop/trace_builder.hpp"

namespace ringside::tool {

// Listens at "tcp://HOST:PORT" as collect_from_senders() describes. Each connection is one trace.
ReadOutcome collect_heph(const std::string& address, TraceBuilder& builder,
                         ConversionReport& report, const CollectorContext& context);

// Listens at "udp://HOST:PORT" as collect_datagrams() describes. The datagrams of one address and
// port are one trace; a datagram has one or several whole packets.
ReadOutcome collect_heph_datagrams(const std::string& address, TraceBuilder& builder,
                                   ConversionReport& report, const CollectorContext& context);

}  // namespace ringside::tool
