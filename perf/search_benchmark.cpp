// The parts of a trace file that a user asks for: the last lines, and the records that contain a
// literal. Beside each, the same by reading and formatting everything: "all" of `tail`, and of
// `grep` the literal as a group of a regular expression. Counters: records in the file per second.

#include <cstdint>
#include <memory>
#include <string>

#include <benchmark/benchmark.h>

#include "perf/generated_trace.hpp"
#include "tools/query/event_filter.hpp"
#include "tools/query/record_filter.hpp"
#include "tools/text/trace_text.hpp"
#include "trace-format/reader/trace_set.hpp"

namespace {

using namespace ringside;
using perf::Statement;

constexpr std::uint64_t kEndBytes = 64U << 10;  // as ringcat

void count_records(benchmark::State& state, std::size_t records) {
  state.counters["records"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * static_cast<double>(records),
                         benchmark::Counter::kIsRate);
}

// Arguments: streams, whether only the end is read.
void tail(benchmark::State& state) {
  const perf::GeneratedTrace file(
      {Statement::kFiveArguments, static_cast<unsigned>(state.range(0)), 4'000'000});
  const bool end_only = state.range(1) != 0;
  while (state.KeepRunning()) {
    trace::ReadOptions reading;
    reading.end_bytes = end_only ? kEndBytes : 0;
    auto set = trace::TraceSet::open(std::vector<std::string>{file.path()}, reading, nullptr);
    if (!set) return state.SkipWithError("the file cannot be read");
    const auto text = tool::last_lines_of_end(*set, {.utc = true, .last = 5});
    if (!text || text->empty()) return state.SkipWithError("the end is too short");
    benchmark::DoNotOptimize(text);
  }
  count_records(state, file.records());
}

// Arguments: statement, the case, whether the literal is searched as one.
void grep(benchmark::State& state) {
  static const char* const kLiterals[] = {
      "needle",   // of no message
      "17",       // can be in numbers, or in texts
      "qxz",      // of few texts
      "session",  // of a format
  };
  const perf::GeneratedTrace file({static_cast<Statement>(state.range(0)), 1, 1'000'000});
  const std::string literal = kLiterals[state.range(1)];
  tool::FilterOptions options;
  options.grep = state.range(2) != 0 ? literal : "(?:" + literal + ")";
  std::string why;
  const auto filter = tool::EventFilter::make(options, 0, true, &why);
  if (!filter) return state.SkipWithError(why.c_str());
  std::size_t found = 0;
  while (state.KeepRunning()) {
    found = 0;
    tool::RecordFilter records(*filter);
    auto set = trace::TraceSet::open(std::vector<std::string>{file.path()}, filter->read_options(),
                                     nullptr);
    if (!set) return state.SkipWithError("the file cannot be read");
    trace::Event event;
    while (set->next(event)) found += static_cast<std::size_t>(records.wanted(event));
  }
  state.SetLabel(options.grep + ": " + std::to_string(found) + " found");
  count_records(state, file.records());
}

BENCHMARK(tail)
    ->ArgNames({"streams", "end"})
    ->ArgsProduct({{1, 64}, {0, 1}})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(grep)
    ->ArgNames({"statement", "case", "literal"})
    ->ArgsProduct({{1, 3, 4}, {0, 1, 2, 3}, {0, 1}})
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
