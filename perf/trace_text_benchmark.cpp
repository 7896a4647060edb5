// The lines of text that ringcat makes from a trace file, in the order of time: reading, decoding,
// merging and formatting, without the write. Counters: lines per second, bytes per line.

#include <cstdint>

#include <benchmark/benchmark.h>

#include "perf/generated_trace.hpp"
#include "tools/text/trace_text.hpp"
#include "trace-format/reader/trace_set.hpp"

namespace {

using namespace ringside;
using perf::Statement;

void run(benchmark::State& state, Statement statement) {
  const auto streams = static_cast<unsigned>(state.range(0));
  const auto threads = static_cast<unsigned>(state.range(1));
  const perf::GeneratedTrace file({statement, streams, 1'000'000});
  std::size_t bytes = 0;
  while (state.KeepRunning()) {
    auto set = trace::TraceSet::open(std::vector<std::string>{file.path()}, nullptr);
    if (!set) return state.SkipWithError("the file cannot be read");
    bytes = 0;
    tool::write_trace_text(*set, {.utc = true, .threads = threads}, [&](std::string_view text) {
      bytes += text.size();
      return true;
    });
    if (set->report().records != file.records()) return state.SkipWithError("records got lost");
  }
  const auto lines = static_cast<double>(file.records());
  state.counters["lines"] = benchmark::Counter(static_cast<double>(state.iterations()) * lines,
                                               benchmark::Counter::kIsRate);
  state.counters["bytes"] = static_cast<double>(bytes) / lines;
}

void static_message(benchmark::State& state) {
  run(state, Statement::kStatic);
}
void five_arguments(benchmark::State& state) {
  run(state, Statement::kFiveArguments);
}

// Merging alone.
void events(benchmark::State& state) {
  const perf::GeneratedTrace file(
      {static_cast<Statement>(state.range(1)), static_cast<unsigned>(state.range(0)), 1'000'000});
  while (state.KeepRunning()) {
    auto set = trace::TraceSet::open(std::vector<std::string>{file.path()}, nullptr);
    if (!set) return state.SkipWithError("the file cannot be read");
    trace::Event event;
    std::uint64_t sum = 0;
    while (set->next(event)) sum += event.unix_ns;
    benchmark::DoNotOptimize(sum);
  }
  state.counters["events"] = benchmark::Counter(
      static_cast<double>(state.iterations()) * static_cast<double>(file.records()),
      benchmark::Counter::kIsRate);
}

BENCHMARK(static_message)
    ->ArgNames({"streams", "threads"})
    ->ArgsProduct({{1, 4, 64}, {1, 2}})
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();
BENCHMARK(five_arguments)
    ->ArgNames({"streams", "threads"})
    ->ArgsProduct({{1, 4, 64}, {1, 2}})
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();
BENCHMARK(events)
    ->ArgNames({"streams", "statement"})
    ->ArgsProduct({{1, 4}, {1, 3}})
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
