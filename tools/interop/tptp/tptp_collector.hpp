#pragma once
// Takes the TPTP traces that many senders send at once.

#include <string>

#include "tools/interop/conversion_report.hpp"
#include "tools/interop/read_outcome.hpp"
#include "tools/interop/trace_builder.hpp"

namespace ringside::tool::tptp {

// Listens at "tcp://HOST:PORT" as collect_from_senders() describes it. What one sender sends is one
// trace, of either form: it lies in $TMPDIR until the connection ends, and is imported then, as far
// as it is sound. Who listens for binary traces announces that to each sender, and who listens for
// XML nothing: senders send that unasked.
ReadOutcome collect_binary(const std::string& address, TraceBuilder& builder,
                           ConversionReport& report);
ReadOutcome collect_xml(const std::string& address, TraceBuilder& builder,
                        ConversionReport& report);

}  // namespace ringside::tool::tptp
