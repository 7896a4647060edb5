#pragma once
// Receives NetTrace streams from many senders at once.

#include <string>

#include "tools/interop/collector_context.hpp"
#include "tools/interop/conversion_report.hpp"
#include "tools/interop/read_outcome.hpp"
#include "tools/interop/trace_builder.hpp"

namespace ringside::tool {

// Listens at "tcp://HOST:PORT" as collect_from_senders() describes. Each connection is one trace,
// such as what `dotnet-trace` writes to a file.
ReadOutcome collect_nettrace(const std::string& address, TraceBuilder& builder,
                             ConversionReport& report, const CollectorContext& context);

}  // namespace ringside::tool
