// Converts a trace file to text with the default number of threads, and with one, in turns: lines
// per second of wall time, their ratio, and the processor time.

#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "perf/generated_trace.hpp"
#include "perf/harness/result_line.hpp"
#include "perf/harness/run_options.hpp"
#include "perf/ringside/timed_command.hpp"

namespace {

using namespace ringside::perf;

constexpr int kRecords = 4'000'000;
constexpr int kTurns = 3;  // of a repeat

struct Times {
  std::vector<double> wall_rate;  // million lines a second
  std::vector<double> cpu_ns;     // of a line

  bool add(const std::vector<std::string>& command, std::size_t records) {
    const CommandTime time = time_command(command);
    if (time.status != 0) {
      std::fprintf(stderr, "ringcat failed\n");
      return false;
    }
    const auto lines = static_cast<double>(records);
    wall_rate.push_back(lines / time.wall_s / 1e6);
    cpu_ns.push_back(1e9 * time.cpu_s / lines);
    return true;
  }
};

int measure(const RunOptions& options, Case message, Statement statement, unsigned streams) {
  if (!options.wants_case(message)) return kExitOk;
  const GeneratedTrace trace({.statement = statement,
                              .streams = streams,
                              .records = static_cast<std::size_t>(options.scaled(kRecords))});
  const std::vector<std::string> by_default{RINGCAT_PATH, "--utc", trace.path()};
  const std::vector<std::string> by_one{RINGCAT_PATH, "--utc", "--threads", "1", trace.path()};
  Times default_times;
  Times one_times;
  std::vector<double> ratios;
  for (int turn = 0; turn < kTurns * options.repeats_or_one(); ++turn) {
    if (!default_times.add(by_default, trace.records()) ||
        !one_times.add(by_one, trace.records())) {
      return kExitDoesNotCount;
    }
    ratios.push_back(default_times.wall_rate.back() / one_times.wall_rate.back());
  }
  const auto line = [&](const char* threads) {
    ResultLine of("text_threads", "ringside", name_of(message));
    of.with("streams", std::int64_t{streams}).with("threads", threads);
    return of;
  };
  const auto print = [&line](const char* threads, const Times& times) {
    line(threads).print("wall", "M lines/s", spread_of(times.wall_rate, Better::higher));
    line(threads).print("cpu", "ns", spread_of(times.cpu_ns));
  };
  print("default", default_times);
  print("1", one_times);
  Spread ratio = spread_of(ratios, Better::higher);
  ratio.best = spread_of(default_times.wall_rate, Better::higher).best /
               spread_of(one_times.wall_rate, Better::higher).best;
  line("default").print("rate_to_one_thread", "x", ratio);
  return kExitOk;
}

}  // namespace

int main(int argc, char** argv) try {
  int exit_code = kExitOk;
  const auto options = parse_run_options(argc, argv, "Row text_threads of Ringside.", &exit_code);
  if (!options) return exit_code;
  for (const unsigned streams : {1U, 64U}) {
    for (const auto& [message, statement] :
         {std::pair(Case::static_text, Statement::kStatic),
          std::pair(Case::five_arguments, Statement::kFiveArguments)}) {
      const int status = measure(*options, message, statement, streams);
      if (status != kExitOk) return status;
    }
  }
  return kExitOk;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return ringside::perf::kExitDoesNotCount;
}
