// Cost of a log call for the calling thread: back to back, one call per 600 ns, and cold, with
// consumerd at its default settings on another core.

#include <cstdio>
#include <exception>

#include "perf/harness/record_cost_rows.hpp"
#include "perf/ringside/ringside_subject.hpp"
#include "perf/ringside/traced_run.hpp"

int main(int argc, char** argv) try {
  using namespace ringside::perf;
  int exit_code = kExitOk;
  const auto options = parse_run_options(
      argc, argv, "Rows floor, back_to_back, paced and cold of Ringside.", &exit_code);
  if (!options) return exit_code;
  TracedRun run;
  if (run.ready() != kExitOk) return run.ready();
  measure_record_cost<RingsideSubject>(*options);
  return run.finish();
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return ringside::perf::kExitDoesNotCount;
}
