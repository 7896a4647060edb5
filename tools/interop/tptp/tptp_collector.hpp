#pragma once
// Receives the TPTP traces of many senders at once.

#include <string>

#include "tools/interop/collector_context.hpp"
#include "tools/interop/conversion_report.hpp"
#include "tools/interop/read_outcome.hpp"
#include "tools/interop/trace_builder.hpp"

namespace ringside::tool::tptp {

// Listens at "tcp://HOST:PORT" as collect_from_senders() describes. The data of one sender is one
// trace, of either form, which is imported as it arrives, as far as it is valid. A listener for
// binary traces announces them to each sender. A listener for XML announces nothing, because
// senders send XML without an announcement.
ReadOutcome collect_binary(const std::string& address, TraceBuilder& builder,
                           ConversionReport& report, const CollectorContext& context);
ReadOutcome collect_xml(const std::string& address, TraceBuilder& builder, ConversionReport& report,
                        const CollectorContext& context);

}  // namespace ringside::tool::tptp
