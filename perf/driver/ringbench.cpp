// Runs all measuring programs, compares the results with the targets, and prints tables or one JSON
// document.

#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <system_error>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "perf/driver/machine.hpp"
#include "perf/driver/measure.hpp"
#include "perf/driver/report.hpp"
#include "perf/driver/targets.hpp"
#include "perf/harness/result_line.hpp"

namespace {

using namespace ringside::perf;

nlohmann::json document_of(const Plan& plan, const Results& results, double load_before,
                           std::chrono::seconds took) {
  nlohmann::json document{{"machine", describe_machine()},
                          {"build", describe_build()},
                          {"date", now_utc()},
                          {"quick", plan.quick},
                          {"repeats", plan.repeats},
                          {"seconds", took.count()},
                          {"load_average", {{"before", load_before}, {"after", load_average()}}},
                          {"results", results.lines},
                          {"not_measured", nlohmann::json::array()}};
  for (const NotMeasured& one : results.not_measured) {
    document["not_measured"].push_back(
        {{"rows", one.rows}, {"subject", one.subject}, {"reason", one.reason}});
  }
  if (plan.rows.empty()) document["unmeasured_targets"] = unmeasured_targets(results.lines);
  return document;
}

}  // namespace

int main(int argc, char** argv) try {
  Plan plan;
  bool json = false;
  CLI::App app("Measures Ringside and other tracers; see perf/README.md.");
  app.add_flag("--json", json, "one JSON document instead of tables");
  app.add_option("--row", plan.rows, "only this row (repeatable)");
  app.add_option("--subject", plan.subjects, "only this tracer (repeatable)");
  app.add_flag("--quick", plan.quick, "a tenth of the work, to check that it runs");
  app.add_option("--repeats", plan.repeats, "number of repeats")->check(CLI::Range(1, 100));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kExitOk : kExitUsage;
  }
  std::error_code error;
  plan.program_folder = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  plan.script_folder = PERF_SOURCE_FOLDER;
  const double load_before = load_average();
  const auto from = std::chrono::steady_clock::now();
  Results results;
  const bool sound = measure(plan, results);
  const auto took =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - from);
  if (results.lines.empty()) {
    fmt::print(stderr, "ringbench: nothing was measured; see --help for the options\n");
  }
  if (json) {
    fmt::print("{}\n", document_of(plan, results, load_before, took).dump(1));
  } else {
    fmt::print("{}", as_tables(results));
    fmt::print("\nload average {:.2f} before, {:.2f} after; {} s\n", load_before, load_average(),
               took.count());
  }
  return sound && !results.lines.empty() ? kExitOk : kExitDoesNotCount;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return ringside::perf::kExitDoesNotCount;
}
