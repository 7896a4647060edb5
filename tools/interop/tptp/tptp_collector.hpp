#pragma once
// Receives the TPTP traces of many senders at once.

#include <string>

#include "tools/interop/conversion_report.hpp"
#include "tools/interop/diagnostic_sink.hpp"
#include "tools/interop/read_outcome.hpp"
#include "tools/interop/trace_builder.hpp"

namespace ringside::tool::tptp {

// Listens at "tcp://HOST:PORT" as collect_from_senders() describes. The data of one sender is one
// trace, of either form: it is kept in $TMPDIR until the connection ends, and then imported as far
// as it is valid. A listener for binary traces announces them to each sender. A listener for XML
// announces nothing, because senders send XML without an announcement.
ReadOutcome collect_binary(const std::string& address, TraceBuilder& builder,
                           ConversionReport& report, const DiagnosticSink& live);
ReadOutcome collect_xml(const std::string& address, TraceBuilder& builder, ConversionReport& report,
                        const DiagnosticSink& live);

}  // namespace ringside::tool::tptp
