// The last five lines of a trace file: the time of `ringcat --tail 5`, from its start to its end.
// Beside it, in turns, `tail -n 5` of the same trace as text, which is seven times as long.

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "perf/generated_trace.hpp"
#include "perf/harness/program_run.hpp"
#include "perf/harness/result_line.hpp"
#include "perf/harness/run_options.hpp"
#include "perf/ringside/text_of_trace.hpp"
#include "perf/ringside/timed_command.hpp"

namespace {

using namespace ringside::perf;

constexpr int kRecords = 4'000'000;  // 72 MB
constexpr int kTurns = 4;            // of a repeat
constexpr auto kLimit = std::chrono::seconds(60);
constexpr const char* kCase = "five_arguments";

using Command = std::vector<std::string>;

// Compares the output of the two commands once, so that their times are those of the same answer.
bool print_the_same(const Command& ours, const Command& peer) {
  const ProgramRun lines = run_program({.command = ours}, kLimit, ErrorOutput::kKeepAndForward);
  const ProgramRun expected = run_program({.command = peer}, kLimit, ErrorOutput::kKeepAndForward);
  if (lines.status == 0 && expected.status == 0 && !lines.output.empty() &&
      lines.output == expected.output) {
    return true;
  }
  std::fprintf(stderr, "ringcat --tail and tail print different lines\n");
  return false;
}

int measure(const RunOptions& options, unsigned streams) {
  const GeneratedTrace trace({.statement = Statement::kFiveArguments,
                              .streams = streams,
                              .records = static_cast<std::size_t>(options.scaled(kRecords))});
  const TextOfTrace text({RINGCAT_PATH, "--utc", trace.path()});
  if (!text.is_complete()) return kExitDoesNotCount;
  const Command ours{RINGCAT_PATH, "--utc", "--tail", "5", trace.path()};
  const Command peer{"tail", "-n", "5", text.path()};
  if (!print_the_same(ours, peer)) return kExitDoesNotCount;
  std::vector<double> ours_ms;
  std::vector<double> peer_ms;
  for (int turn = 0; turn < kTurns * options.repeats_or_one(); ++turn) {
    const CommandTime our_time = time_command(ours);
    const CommandTime peer_time = time_command(peer);
    if (our_time.status != 0 || peer_time.status != 0) return kExitDoesNotCount;
    ours_ms.push_back(1e3 * our_time.wall_s);
    peer_ms.push_back(1e3 * peer_time.wall_s);
  }
  const auto print = [streams](const char* subject, const std::vector<double>& ms) {
    ResultLine("tail", subject, kCase)
        .with("streams", std::int64_t{streams})
        .print("command", "ms", spread_of(ms));
  };
  print("ringside", ours_ms);
  print("gnu_tail", peer_ms);
  return kExitOk;
}

}  // namespace

int main(int argc, char** argv) try {
  int exit_code = kExitOk;
  const auto options = parse_run_options(argc, argv, "Row tail of Ringside.", &exit_code);
  if (!options) return exit_code;
  if (!options->wants_case(kCase)) return kExitOk;
  for (const unsigned streams : {1U, 64U}) {
    const int status = measure(*options, streams);
    if (status != kExitOk) return status;
  }
  return kExitOk;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return ringside::perf::kExitDoesNotCount;
}
