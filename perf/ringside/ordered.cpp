// Cost of ordering by time when very many threads logged at once: the same file read in the order
// of time, in file order ("file", as `ringcat --unordered`), and extent by extent, decoded alone
// ("extents"), in turns. Case "text" also makes a line of each record, as ringcat does. Processor
// time per record.

#include <array>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <exception>
#include <string>
#include <vector>

#include "perf/generated_trace.hpp"
#include "perf/harness/result_line.hpp"
#include "perf/harness/run_options.hpp"
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
using namespace ringside::perf;

constexpr int kRecords = 1'000'000;
constexpr int kExtentBytes = 64 << 10;  // of the ring, in one extent

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

bool read_extents(const std::string& path, Sink& sink) {
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

bool read_in_time_order(const std::string& path, Sink& sink) {
  auto set = trace::TraceSet::open(std::vector<std::string>{path}, nullptr);
  if (!set) return false;
  trace::Event event;
  while (set->next(event)) sink.add(event);
  return true;
}

bool read_in_file_order(const std::string& path, Sink& sink) {
  trace::ReadOptions options;
  options.unordered = true;
  auto set = trace::TraceSet::open(std::vector<std::string>{path}, options, nullptr);
  if (!set) return false;
  trace::Event event;
  while (set->next(event)) sink.add(event);
  return true;
}

struct Reading {
  const char* order;
  bool (*read)(const std::string&, Sink&);
};
constexpr std::array kReadings{Reading{"extents", read_extents},
                               Reading{"file", read_in_file_order},
                               Reading{"time", read_in_time_order}};
constexpr std::size_t kFileOrder = 1;
constexpr std::size_t kTimeOrder = 2;

double processor_ns() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
}

// ns per record; below 0 if not all records were read.
double cost_of(const Reading& reading, const GeneratedTrace& file, bool text) {
  Sink sink(text);
  const double from = processor_ns();
  const bool is_read = reading.read(file.path(), sink);
  const double took = processor_ns() - from;
  if (is_read && sink.records() == file.records() && sink.sum() != 0) {
    return took / static_cast<double>(file.records());
  }
  std::fprintf(stderr, "order %s: the file has %zu records, %llu were read\n", reading.order,
               file.records(), static_cast<unsigned long long>(sink.records()));
  return -1;
}

int measure(const RunOptions& options, const GeneratedTrace& file, unsigned streams, bool text) {
  const char* const what = text ? "text" : "events";
  if (!options.wants_case(what)) return kExitOk;
  std::array<std::vector<double>, kReadings.size()> costs;
  std::vector<double> ratios;
  for (int repeat = 0; repeat < options.repeats_or_one(); ++repeat) {
    for (std::size_t i = 0; i < kReadings.size(); ++i) {
      const double ns = cost_of(kReadings[i], file, text);
      if (ns < 0) return kExitDoesNotCount;
      costs[i].push_back(ns);
    }
    ratios.push_back(costs[kTimeOrder].back() / costs[kFileOrder].back());
  }
  const auto line = [&](std::size_t reading) {
    ResultLine of("ordered", "ringside", what);
    of.with("streams", std::int64_t{streams}).with("order", kReadings[reading].order);
    return of;
  };
  for (std::size_t i = 0; i < kReadings.size(); ++i) {
    line(i).print("record", "ns", spread_of(costs[i]));
  }
  line(kTimeOrder)
      .print("ratio_to_file_order", "x",
             ratio_spread(ratios, costs[kTimeOrder], costs[kFileOrder]));
  return kExitOk;
}

}  // namespace

int main(int argc, char** argv) try {
  int exit_code = kExitOk;
  const auto options = parse_run_options(argc, argv, "Row ordered of Ringside.", &exit_code);
  if (!options) return exit_code;
  for (const unsigned streams : {64U, 4096U}) {
    // Each stream has at least one extent: of 4,096 streams the file has 7.5 million records.
    const GeneratedTrace file(
        {.statement = Statement::kFiveArguments,
         .streams = streams,
         .records = static_cast<std::size_t>(options->scaled(kRecords)),
         .extent_bytes = static_cast<std::size_t>(options->scaled(kExtentBytes))});
    for (const bool text : {false, true}) {
      const int status = measure(*options, file, streams, text);
      if (status != kExitOk) return status;
    }
  }
  return kExitOk;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return ringside::perf::kExitDoesNotCount;
}
