// Converts Universal Logger Messages to records.

#include <vector>

#include "tools/interop/netlogger/netlogger_fields.hpp"
#include "tools/interop/netlogger/ulm_format.hpp"
#include "tools/interop/netlogger/ulm_reader.hpp"

namespace ringside::tool {

ReadOutcome read_ulm(InputBytes& input, TraceBuilder& builder, ConversionReport& report) {
  netlogger::FieldImport import(builder, report, "ulm");
  const std::uint32_t sender = import.add_sender("");
  ulm::Reader reader(input);
  ulm::Line line;
  std::vector<netlogger::FieldValue> variables;
  for (;;) {
    const ulm::Step step = reader.next(line);
    if (step == ulm::Step::kEnd || step == ulm::Step::kCut) break;
    if (step == ulm::Step::kBad) continue;
    variables.clear();
    for (const netlogger::FieldValue& field : line.fields) {
      if (!field.is_constant) variables.push_back(field);
    }
    import.add(sender, import.shape_of(line.fields), line.unix_ns, variables);
  }
  ReadOutcome outcome = reader.outcome();
  if (outcome.end != ReadEnd::kRefused) import.end();
  return outcome;
}

}  // namespace ringside::tool
