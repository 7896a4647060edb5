#include "tools/interop/nettrace/nettrace_inspect.hpp"

#include <utility>

#include <fmt/format.h>

#include "tools/interop/digested_input.hpp"
#include "tools/interop/nettrace/nettrace_reader.hpp"
#include "tools/interop/nettrace/nettrace_statistics.hpp"
#include "tools/interop/nettrace/nettrace_summary.hpp"

namespace ringside::tool {
namespace {

ReadOutcome put_lines(InputBytes& input, OutputBytes& output) {
  nettrace::StatisticsVisitor visitor(true);
  nettrace::Reader reader(input, visitor);
  ReadOutcome outcome = reader.read();
  std::string error;
  if (!visitor.lines().give([&output](std::string_view line) { output.put(line); }, &error)) {
    output.fail(error);
  }
  return outcome;
}

}  // namespace

ReadOutcome inspect_nettrace(InputBytes& input, InspectStyle style, OutputBytes& output) {
  if (style == InspectStyle::kCsv) return put_lines(input, output);
  DigestedInput digested(input);
  const bool is_json = style == InspectStyle::kJson;
  nettrace::StatisticsVisitor visitor(is_json);
  nettrace::Reader reader(digested.bytes(), visitor);
  ReadOutcome outcome = reader.read();
  if (outcome.end == ReadEnd::kRefused) return outcome;
  visitor.finish();
  digested.finish();
  if (!visitor.failure().empty()) output.fail(visitor.failure());
  const nettrace::FileFacts file{
      DigestedInput::file_name(input.name()), digested.size(),         digested.sha256(),
      reader.ended_with_null_reference(),     reader.trailing_bytes(), outcome.message};
  if (is_json) {
    nettrace::put_summary_json(file, visitor, output);
  } else {
    nettrace::put_summary_text(file, visitor.statistics(), output);
  }
  return outcome;
}

}  // namespace ringside::tool
