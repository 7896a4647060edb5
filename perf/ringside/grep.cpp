// The records whose message contains a literal: `ringcat --grep LITERAL` of a trace file, records
// in the file per second of wall time and per second of processor time (the rate of one core).
// Beside it, in turns, `grep -c LITERAL` of the same trace as text.

#include <algorithm>
#include <chrono>
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

constexpr int kRecords = 4'000'000;
constexpr auto kLimit = std::chrono::seconds(60);

using Command = std::vector<std::string>;

struct Search {
  const char* name;
  const char* literal;
};

// A message of a number of statements with arguments, and what is searched in it.
struct Searched {
  Case message;
  Statement statement;
  std::vector<Search> searches;
};

// Of no message; of one message in 1,024; of one in 900.
const Searched kSearched[] = {
    {Case::five_arguments,
     Statement::kFiveArguments,
     {{"absent", "needle"}, {"number", "in 63 chunks, 63 free"}}},
    {Case::string39, Statement::kString, {{"absent", "needle"}, {"rare", "qxz"}}},
};

struct Rates {
  std::vector<double> by_wall;
  std::vector<double> by_cpu;

  void add(std::size_t records, const CommandTime& time) {
    by_wall.push_back(static_cast<double>(records) / time.wall_s / 1e6);
    by_cpu.push_back(static_cast<double>(records) / time.cpu_s / 1e6);
  }
};

// Both must find the same number of records, so that their times are those of the same answer.
bool find_the_same(const Command& ours, const Command& peer) {
  const ProgramRun lines = run_program({.command = ours}, kLimit, ErrorOutput::kKeepAndForward);
  const ProgramRun count = run_program({.command = peer}, kLimit, ErrorOutput::kKeepAndForward);
  const auto found = std::count(lines.output.begin(), lines.output.end(), '\n');
  // grep ends with 1 if it has found nothing.
  const bool has_run = lines.status == 0 && count.status <= 1 && !count.output.empty();
  if (has_run && count.output == std::to_string(found) + "\n") return true;
  std::fprintf(stderr, "ringcat --grep finds %td records, grep -c finds %s", found,
               count.output.empty() ? "none\n" : count.output.c_str());
  return false;
}

void print(const char* subject, Case message, const Search& search, const Rates& rates) {
  const auto line = [&] {
    ResultLine of("grep", subject, name_of(message));
    of.with("literal", search.name);
    return of;
  };
  line().print("wall", "M/s", spread_of(rates.by_wall, Better::higher));
  line().print("one_core", "M/s", spread_of(rates.by_cpu, Better::higher));
}

int measure(const RunOptions& options, const Searched& searched) {
  if (!options.wants_case(searched.message)) return kExitOk;
  const GeneratedTrace trace({.statement = searched.statement,
                              .streams = 1,
                              .records = static_cast<std::size_t>(options.scaled(kRecords))});
  const TextOfTrace text({RINGCAT_PATH, "--utc", trace.path()});
  if (!text.is_complete()) return kExitDoesNotCount;
  for (const Search& search : searched.searches) {
    const Command ours{RINGCAT_PATH, "--utc", "--grep", search.literal, trace.path()};
    const Command peer{"grep", "-c", search.literal, text.path()};
    if (!find_the_same(ours, peer)) return kExitDoesNotCount;
    Rates our_rates;
    Rates peer_rates;
    for (int repeat = 0; repeat < options.repeats_or_one(); ++repeat) {
      const CommandTime our_time = time_command(ours);
      const CommandTime peer_time = time_command(peer);
      if (our_time.status != 0 || peer_time.status > 1) return kExitDoesNotCount;
      our_rates.add(trace.records(), our_time);
      peer_rates.add(trace.records(), peer_time);
    }
    print("ringside", searched.message, search, our_rates);
    print("gnu_grep", searched.message, search, peer_rates);
  }
  return kExitOk;
}

}  // namespace

int main(int argc, char** argv) try {
  int exit_code = kExitOk;
  const auto options = parse_run_options(argc, argv, "Row grep of Ringside.", &exit_code);
  if (!options) return exit_code;
  for (const Searched& searched : kSearched) {
    const int status = measure(*options, searched);
    if (status != kExitOk) return status;
  }
  return kExitOk;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return ringside::perf::kExitDoesNotCount;
}
