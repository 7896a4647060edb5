// Any text as --template, and as --columns of --format csv: parsed, then used for lines.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tests/tools/orders_trace.hpp"
#include "tools/text/csv_lines.hpp"
#include "tools/text/trace_text.hpp"
#include "trace-format/lines/template_lines.hpp"
#include "trace-format/reader/trace_set.hpp"

namespace {

using namespace ringside;

void write_lines(const trace::LineFormat& format) {
  static const trace::testing::Bytes kTrace = tool::testing::orders_trace();
  std::vector<std::unique_ptr<trace::TraceFile>> files;
  files.push_back(trace::TraceFile::in_memory("orders", kTrace));
  auto set = trace::TraceSet::open(std::move(files), {}, nullptr);
  if (!set) return;
  format.header();
  tool::write_trace_text(*set, {.utc = true, .format = &format},
                         [](std::string_view) { return true; });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  std::string why;
  for (const bool raw : {false, true}) {
    const auto lines = trace::TemplateLines::make(text, raw, &why);
    if (lines != nullptr) write_lines(*lines);
  }
  const auto columns = tool::CsvLines::make(text, false, &why);
  if (columns != nullptr) write_lines(*columns);
  return 0;
}
