#include "perf/driver/measure.hpp"

#include <algorithm>
#include <chrono>
#include <sstream>

#include <fmt/format.h>

#include "perf/driver/google_benchmark_lines.hpp"
#include "perf/driver/programs.hpp"
#include "perf/driver/targets.hpp"
#include "perf/harness/program_run.hpp"
#include "perf/harness/result_line.hpp"

namespace ringside::perf {
namespace {

constexpr auto kLimit = std::chrono::seconds(300);  // of one program; only a hang reaches it
constexpr auto kQuickLimit = std::chrono::seconds(60);

bool wanted(const std::vector<std::string>& names, std::string_view name) {
  return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<std::string> wanted_rows(const Plan& plan, const Program& program) {
  std::vector<std::string> rows;
  for (const std::string_view row : program.rows) {
    if (wanted(plan.rows, row)) rows.emplace_back(row);
  }
  return rows;
}

std::vector<std::string> command(const Plan& plan, const Program& program,
                                 const std::vector<std::string>& rows) {
  const bool is_script = program.speaks == Speaks::kIntegration;
  std::vector<std::string> arguments{(is_script ? plan.script_folder : plan.program_folder) /
                                     program.path};
  if (program.speaks == Speaks::kGoogleBenchmark) {
    arguments.insert(
        arguments.end(),
        {"--benchmark_format=json", "--benchmark_enable_random_interleaving=true",
         fmt::format("--benchmark_min_time={}", plan.quick ? 0.001 : 0.02),
         fmt::format("--benchmark_repetitions={}", plan.quick ? 2 : 2 * plan.repeats)});
    return arguments;
  }
  if (plan.quick) arguments.emplace_back("--quick");
  if (is_script) {
    arguments.insert(arguments.end(), {"--rounds", std::to_string(plan.repeats), "--build",
                                       plan.program_folder.parent_path()});
    for (const std::string& subject : plan.subjects) {
      if (subject != "none") arguments.insert(arguments.end(), {"--only", subject});
    }
    return arguments;
  }
  arguments.insert(arguments.end(), {"--repeats", std::to_string(plan.repeats)});
  if (rows.size() < program.rows.size()) {
    for (const std::string& row : rows) arguments.insert(arguments.end(), {"--row", row});
  }
  return arguments;
}

// Reads the lines that the program printed. Returns false and sets `*why` if one of them is not a
// result line.
bool read_lines(const std::string& output, Results& results, std::string* why) {
  std::istringstream in(output);
  std::string text;
  while (std::getline(in, text)) {
    if (text.empty()) continue;
    Result line = Result::parse(text, nullptr, false);
    if (!line.is_object() || text_of(line, "row").empty() || text_of(line, "subject").empty()) {
      *why = "printed an invalid result line: " + text;
      return false;
    }
    if (line.contains("not_measured")) {
      const std::string sink = text_of(line, "sink");
      results.not_measured.push_back({{text_of(line, "row") + (sink.empty() ? "" : " " + sink)},
                                      text_of(line, "subject"),
                                      text_of(line, "not_measured")});
    } else if (!line.contains("median") || !line["median"].is_number()) {
      *why = "printed a line without a median: " + text;
      return false;
    } else {
      results.lines.push_back(std::move(line));
    }
  }
  return true;
}

// Runs one program. Returns the reason if there are no figures, otherwise an empty string.
std::string run_one(const std::vector<std::string>& arguments, const Plan& plan,
                    const Program& program, Results& results, bool* failed) {
  const bool runs_all_tracers = program.speaks == Speaks::kIntegration;
  const auto limit = plan.quick ? kQuickLimit : runs_all_tracers ? 3 * kLimit : kLimit;
  const ProgramRun run = run_program({.command = arguments}, limit, ErrorOutput::kKeepAndForward);
  std::string said = last_line(run.errors);
  if (run.timed_out) {
    *failed = true;
    return fmt::format("stopped after {} s", limit.count());
  }
  if (run.status != kExitOk) {
    *failed = *failed || run.status != kExitNotPossible;
    return said.empty() ? fmt::format("exit status {}", run.status) : said;
  }
  std::string why;
  Results found;
  const bool sound = program.speaks == Speaks::kGoogleBenchmark
                         ? read_google_benchmark(run.output, found.lines, &why)
                         : read_lines(run.output, found, &why);
  if (!sound) {
    *failed = true;
    return why;
  }
  std::move(found.lines.begin(), found.lines.end(), std::back_inserter(results.lines));
  std::move(found.not_measured.begin(), found.not_measured.end(),
            std::back_inserter(results.not_measured));
  return {};
}

}  // namespace

bool measure(const Plan& plan, Results& results) {
  bool failed = false;
  for (const Program& program : programs()) {
    const std::vector<std::string> rows = wanted_rows(plan, program);
    if (rows.empty()) continue;
    if (!program.subject.empty() && !wanted(plan.subjects, program.subject)) continue;
    const std::vector<std::string> arguments = command(plan, program, rows);
    std::string why;
    if (std::filesystem::exists(arguments.front())) {
      fmt::print(stderr, "ringbench: {}\n", program.path);
      why = run_one(arguments, plan, program, results, &failed);
    } else {
      why = program.absent;
    }
    if (why.empty()) continue;
    fmt::print(stderr, "ringbench: {}: {}\n", program.path, why);
    results.not_measured.push_back({rows, std::string(program.subject), why});
  }
  // Programs of several rows and subjects print more than was asked for.
  std::erase_if(results.lines,
                [&plan](const Result& line) { return !wanted(plan.rows, text_of(line, "row")); });
  for (const MissingRow& missing : missing_rows()) {
    if (wanted(plan.rows, missing.row) && wanted(plan.subjects, "ringside")) {
      results.not_measured.push_back(
          {{std::string(missing.row)}, "ringside", std::string(missing.reason)});
    }
  }
  compare_with_targets(results.lines);
  return !failed;
}

}  // namespace ringside::perf
