// Cost of ordering by time when very many threads logged at once: the same file read in file order,
// extent by extent ("unsorted": decoded alone; "unordered_set": by the reader of ringcat), and in
// the order of time. "text" also makes a line of each record, as ringcat
// does. Counter: ns per record.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "perf/generated_trace.hpp"
#include "trace-format/blocks/block_reader.hpp"
#include "trace-format/blocks/tick_clock.hpp"
#include "trace-format/codec/extent_decoder.hpp"
#include "trace-format/lines/line_clocks.hpp"
#include "trace-format/lines/line_event.hpp"
#include "trace-format/lines/line_text.hpp"
#include "trace-format/lines/text_lines.hpp"
#include "trace-format/reader/section_scan.hpp"
#include "trace-format/reader/trace_set.hpp"

namespace {

using namespace ringside;
using perf::Statement;

constexpr std::size_t kRecords = 1'000'000;

// Makes lines of events and counts their bytes, or only visits the events.
class Sink {
 public:
  explicit Sink(bool text) : text_(text), lines_(format_), clocks_(true) {}

  void add(const trace::Event& event) {
    ++records_;
    sum_ += event.unix_ns;
    if (!text_) return;
    lines_.of(event)->append(out_, trace::LineEvent::of(event), clocks_);
    if (out_.size() > kPieceBytes) out_.clear();
  }
  std::uint64_t records() const { return records_; }
  std::uint64_t sum() const { return sum_; }

 private:
  static constexpr std::size_t kPieceBytes = 256U << 10;

  bool text_;
  trace::TextLines format_;
  trace::LineTexts lines_;
  trace::LineClocks clocks_;
  trace::TextSink out_;
  std::uint64_t records_ = 0;
  std::uint64_t sum_ = 0;
};

// Extents one after the other.
bool read_unsorted(const std::string& path, Sink& sink) {
  const auto file = trace::TraceFile::open(path, nullptr);
  if (file == nullptr) return false;
  trace::ReadReport report;
  for (const trace::SectionScan& section : trace::scan_sections(*file, report)) {
    trace::SiteTable sites;
    trace::StreamInfo stream;
    trace::TickClock clock(section.clocks);
    trace::BlockReader blocks(*file, section.begin, section.end, &report);
    trace::ExtentDecoder decoder;
    trace::Event event;
    event.segment = section.segment.get();
    event.stream = &stream;
    trace::Block block;
    std::string why;
    while (blocks.next(block)) {
      if (block.frame.type == trace::BlockType::kDictionary) sites.add(block.payload, &why);
      if (block.frame.type != trace::BlockType::kExtent) continue;
      if (!decoder.open(block.payload, sites, &why)) return false;
      while (decoder.next(event.record)) {
        event.unix_ns = clock.unix_ns(event.record.tsc);
        sink.add(event);
      }
    }
  }
  return true;
}

bool read_sorted(const std::string& path, Sink& sink) {
  auto set = trace::TraceSet::open(std::vector<std::string>{path}, nullptr);
  if (!set) return false;
  trace::Event event;
  while (set->next(event)) sink.add(event);
  return true;
}

// What `ringcat --unordered` reads.
bool read_unordered_set(const std::string& path, Sink& sink) {
  trace::ReadOptions options;
  options.unordered = true;
  auto set = trace::TraceSet::open(std::vector<std::string>{path}, options, nullptr);
  if (!set) return false;
  trace::Event event;
  while (set->next(event)) sink.add(event);
  return true;
}

void run(benchmark::State& state, bool (*read)(const std::string&, Sink&), bool text) {
  const perf::GeneratedTrace file(
      {Statement::kFiveArguments, static_cast<unsigned>(state.range(0)), kRecords});
  while (state.KeepRunning()) {
    Sink sink(text);
    if (!read(file.path(), sink)) return state.SkipWithError("the file cannot be read");
    if (sink.records() != file.records()) return state.SkipWithError("records got lost");
    benchmark::DoNotOptimize(sink.sum());
  }
  state.counters["ns"] = benchmark::Counter(
      static_cast<double>(state.iterations()) * static_cast<double>(file.records()) * 1e-9,
      benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

BENCHMARK_CAPTURE(run, events_unsorted, read_unsorted, false)
    ->ArgName("streams")
    ->Arg(64)
    ->Arg(4096)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run, events_unordered_set, read_unordered_set, false)
    ->ArgName("streams")
    ->Arg(64)
    ->Arg(4096)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run, events_sorted, read_sorted, false)
    ->ArgName("streams")
    ->Arg(64)
    ->Arg(4096)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run, text_unsorted, read_unsorted, true)
    ->ArgName("streams")
    ->Arg(64)
    ->Arg(4096)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run, text_unordered_set, read_unordered_set, true)
    ->ArgName("streams")
    ->Arg(64)
    ->Arg(4096)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run, text_sorted, read_sorted, true)
    ->ArgName("streams")
    ->Arg(64)
    ->Arg(4096)
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
