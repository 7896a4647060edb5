// Sustained rate of one producer: it logs as fast as it can (overflow policy block). The time runs
// from the first call until flush() reports that all records are in the file. Its rate and the
// floor's are measured in turns.

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <vector>

#include <sys/vfs.h>

#include "perf/harness/paired_bursts.hpp"
#include "perf/harness/result_line.hpp"
#include "perf/harness/run_options.hpp"
#include "perf/ringside/isolated_run.hpp"
#include "perf/ringside/ringside_subject.hpp"
#include "perf/ringside/trace_directory.hpp"
#include "perf/ringside/traced_run.hpp"

namespace {

using namespace ringside::perf;

constexpr int kRecords = 4'000'000;  // 32 MB to 200 MB of ring bytes, much more than one ring

struct Sink {
  const char* name;
  const RunOptions& options;
  std::uint64_t records = 0;  // logged
};

template <Case C>
void measure(Sink& sink) {
  if (!sink.options.wants_case(C)) return;
  const int records = sink.options.scaled(kRecords);
  Floor floor;
  std::vector<double> ratios;
  std::vector<double> rates;
  std::vector<double> floor_rates;
  for (int repeat = 0; repeat < sink.options.repeats; ++repeat) {
    const auto floor_ticks = static_cast<double>(floor.burst_ticks(records));
    const std::uint64_t start = __builtin_ia32_rdtsc();
    burst_ticks<RingsideSubject, C>(records);
    if (!ringside::flush(std::chrono::seconds(30))) continue;  // finish() reports it
    const auto ticks = static_cast<double>(__builtin_ia32_rdtsc() - start);
    sink.records += static_cast<std::uint64_t>(records);
    const double millions = 1e3 * tsc_ticks_per_ns() * records;
    ratios.push_back(floor_ticks / ticks);
    rates.push_back(millions / ticks);
    floor_rates.push_back(millions / floor_ticks);
  }
  const auto line = [&sink] {
    ResultLine of("sustained", RingsideSubject::kName, name_of(C));
    of.with("sink", sink.name);
    return of;
  };
  const Spread rate = spread_of(rates, Better::higher);
  const Spread floor_rate = spread_of(floor_rates, Better::higher);
  Spread ratio = spread_of(ratios, Better::higher);
  ratio.best = floor_rate.best > 0 ? rate.best / floor_rate.best : 0;
  line().print("ratio_to_floor", "x", ratio);
  line().print("rate", "M/s", rate);
  line().print("floor", "M/s", floor_rate);
}

int run_into(const char* name, const std::string& parent, const RunOptions& options) {
  TracedRun run(parent);
  if (run.ready() != kExitOk) return run.ready();
  Sink sink{name, options};
  measure<Case::static_text>(sink);
  measure<Case::string39>(sink);
  measure<Case::integer>(sink);
  measure<Case::two_integers>(sink);
  measure<Case::floating>(sink);
  measure<Case::five_arguments>(sink);
  const int status = run.finish();
  if (status != kExitOk) return status;
  const auto found = count_records(run.output_dir());
  if (found != sink.records) {
    std::fprintf(stderr, "%llu records logged, %llu in the file: invalid figures\n",
                 static_cast<unsigned long long>(sink.records),
                 static_cast<unsigned long long>(found.value_or(0)));
    return kExitDoesNotCount;
  }
  ResultLine("sustained", RingsideSubject::kName, "all")
      .with("sink", name)
      .print("lost", "records", exactly(0));
  return kExitOk;
}

bool is_in_memory(const std::string& directory) {
  constexpr long kTmpfsMagic = 0x01021994;
  struct statfs info {};
  return statfs(directory.c_str(), &info) == 0 && info.f_type == kTmpfsMagic;
}

}  // namespace

int main(int argc, char** argv) try {
  int exit_code = kExitOk;
  const auto options = parse_run_options(argc, argv, "Row sustained of Ringside.", &exit_code);
  if (!options) return exit_code;
  tsc_ticks_per_ns();
  int status = in_child_process([&] { return run_into("tmpfs", "/dev/shm", *options); });
  // TMPDIR selects the disk.
  const std::string disk = std::filesystem::temp_directory_path();
  if (is_in_memory(disk)) {
    ResultLine("sustained", RingsideSubject::kName, "all")
        .with("sink", "disk")
        .print_not_measured(
            "the folder for temporary files is in memory; set TMPDIR to one on disk");
  } else if (status == kExitOk) {
    status = in_child_process([&] { return run_into("disk", disk, *options); });
  }
  ResultLine("sustained", RingsideSubject::kName, "all")
      .with("sink", "null")
      .print_not_measured("consumerd writes trace files into a directory, not to /dev/null");
  return status;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return ringside::perf::kExitDoesNotCount;
}
