// Any text as a condition of --where: parsed, matched with statements, applied to records.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/tools/orders_trace.hpp"
#include "tools/query/event_filter.hpp"
#include "tools/query/record_filter.hpp"
#include "trace-format/reader/trace_set.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ringside;
  std::string text(reinterpret_cast<const char*>(data), size);
  // The C library's regular expressions allocate as much memory as nested repetitions need.
  if (text.find('{') != std::string::npos) return 0;
  std::string why;
  tool::FilterOptions options;
  options.where = std::move(text);
  const auto filter = tool::EventFilter::make(options, 0, true, &why);
  if (filter == nullptr) return 0;
  static const trace::testing::Bytes kTrace = tool::testing::orders_trace();
  std::vector<std::unique_ptr<trace::TraceFile>> files;
  files.push_back(trace::TraceFile::in_memory("orders", kTrace));
  auto set = trace::TraceSet::open(std::move(files), filter->read_options(), nullptr);
  if (!set) return 0;
  tool::RecordFilter records(*filter);
  trace::Event event;
  while (set->next(event)) records.wanted(event);
  filter->notes();
  return 0;
}
