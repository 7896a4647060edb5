#pragma once
// Recognises, reads, inspects and writes Universal Logger Messages, NetLogger's text form.

#include <cstddef>
#include <memory>
#include <span>

#include "tools/interop/conversion_report.hpp"
#include "tools/interop/input_bytes.hpp"
#include "tools/interop/inspect_style.hpp"
#include "tools/interop/output_bytes.hpp"
#include "tools/interop/read_outcome.hpp"
#include "tools/interop/trace_builder.hpp"
#include "tools/interop/trace_writer.hpp"

namespace ringside::tool {

// By DATE or NL.EVNT in the first line.
bool recognise_ulm(std::span<const std::byte> first_bytes);

ReadOutcome read_ulm(InputBytes& input, TraceBuilder& builder, ConversionReport& report);

namespace netlogger {
class FieldImport;
}
namespace ulm {

// Takes the lines of one sender. The caller ends `import`.
ReadOutcome read_lines(InputBytes& input, netlogger::FieldImport& import, std::uint32_t sender);

}  // namespace ulm

// JSON: schema ulm-1; text and CSV: one line each.
ReadOutcome inspect_ulm(InputBytes& input, InspectStyle style, OutputBytes& output);

std::unique_ptr<TraceWriter> write_ulm(OutputBytes& output, ConversionReport& report);

}  // namespace ringside::tool
