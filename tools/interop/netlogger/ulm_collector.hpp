#pragma once
// Receives lines of Universal Logger Messages from many senders at once.

#include <string>

#include "tools/interop/collector_context.hpp"
#include "tools/interop/conversion_report.hpp"
#include "tools/interop/read_outcome.hpp"
#include "tools/interop/trace_builder.hpp"

namespace ringside::tool {

// Listens at "tcp://HOST:PORT" as collect_from_senders() describes. Lines that are not ULM are
// skipped and counted; a sender whose first lines are all invalid goes on.
ReadOutcome collect_ulm(const std::string& address, TraceBuilder& builder, ConversionReport& report,
                        const CollectorContext& context);

}  // namespace ringside::tool
