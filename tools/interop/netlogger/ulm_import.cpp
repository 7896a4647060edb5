// Converts Universal Logger Messages to records.

#include <vector>

#include "tools/interop/netlogger/netlogger_fields.hpp"
#include "tools/interop/netlogger/ulm_format.hpp"
#include "tools/interop/netlogger/ulm_reader.hpp"

namespace ringside::tool {

namespace ulm {

ReadOutcome read_lines(InputBytes& input, netlogger::FieldImport& import, std::uint32_t sender) {
  Reader reader(input);
  Line line;
  std::vector<netlogger::FieldValue> variables;
  for (;;) {
    const Step step = reader.next(line);
    if (step == Step::kEnd || step == Step::kCut) break;
    if (step == Step::kBad) continue;
    variables.clear();
    for (const netlogger::FieldValue& field : line.fields) {
      if (!field.is_constant) variables.push_back(field);
    }
    import.add(sender, import.shape_of(line.fields), line.unix_ns, variables);
  }
  return reader.outcome();
}

}  // namespace ulm

ReadOutcome read_ulm(InputBytes& input, TraceBuilder& builder, ConversionReport& report) {
  netlogger::FieldImport import(builder, report, "ulm");
  ReadOutcome outcome = ulm::read_lines(input, import, import.add_sender(""));
  if (outcome.end != ReadEnd::kRefused) import.end();
  return outcome;
}

}  // namespace ringside::tool
