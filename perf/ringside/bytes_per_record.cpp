// Bytes of the trace file per record, including everything in the file: the growth of the file
// divided by the number of records.

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>

#include "perf/harness/result_line.hpp"
#include "perf/harness/run_options.hpp"
#include "perf/ringside/random_messages.hpp"
#include "perf/ringside/ringside_subject.hpp"
#include "perf/ringside/trace_directory.hpp"
#include "perf/ringside/traced_run.hpp"

namespace {

using namespace ringside::perf;

constexpr int kRecords = 1'000'000;

template <Case C, class Call>
void measure(const TracedRun& run, const RunOptions& options, const char* arguments, Call&& call) {
  const int records = options.scaled(kRecords);
  const std::uint64_t before = trace_bytes(run.output_dir());
  for (int i = 0; i < records; ++i) call(i);
  if (!ringside::flush(std::chrono::seconds(30))) return;  // finish() reports it
  const auto bytes = static_cast<double>(trace_bytes(run.output_dir()) - before);
  ResultLine("bytes_per_record", RingsideSubject::kName, name_of(C))
      .with("arguments", arguments)
      .print("file", "bytes", exactly(bytes / records));
}

template <Case C>
void measure_both(const TracedRun& run, const RunOptions& options, const RandomMessages& random) {
  if (!options.wants_case(C)) return;
  // The statement's description is in the file before counting starts.
  RingsideSubject::call<C>(0);
  random.call<C>(0);
  ringside::flush(std::chrono::seconds(30));
  measure<C>(run, options, "constant", [](int i) { RingsideSubject::call<C>(i); });
  measure<C>(run, options, "random", [&random](int i) { random.call<C>(i); });
}

}  // namespace

int main(int argc, char** argv) try {
  int exit_code = kExitOk;
  const auto options =
      parse_run_options(argc, argv, "Row bytes_per_record of Ringside.", &exit_code);
  if (!options) return exit_code;
  TracedRun run;
  if (run.ready() != kExitOk) return run.ready();
  const RandomMessages random;
  measure_both<Case::static_text>(run, *options, random);
  measure_both<Case::string39>(run, *options, random);
  measure_both<Case::integer>(run, *options, random);
  measure_both<Case::two_integers>(run, *options, random);
  measure_both<Case::floating>(run, *options, random);
  measure_both<Case::five_arguments>(run, *options, random);
  return run.finish();
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return ringside::perf::kExitDoesNotCount;
}
