#pragma once
// The rows of another tracer: the cost of its log call (perf/harness), the records per second that
// it writes to the file, and their size in the file.

#include <concepts>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "perf/harness/processors.hpp"
#include "perf/harness/record_cost_rows.hpp"
#include "perf/peers/log_folder.hpp"
#include "perf/ringside/temporary_directory.hpp"

namespace ringside::perf {

// Process-wide, used by one thread:
//   open(folder, processors)  starts tracing into files in an empty folder; its threads and
//                             processes run on processors.consumer. Throws std::exception.
//   close()                   waits until all records are in the files
//   missing(folder, logged)   after close(): the number of logged records that are not in the files
//   kRecords                  enough for a steady rate in `sustained`
//   plan()                    the size of the other rows, for about a minute in total
template <class T>
concept Peer = Subject<T> && requires(const std::string& folder, Processors processors) {
  {T::open(folder, processors)};
  { T::close() } -> std::same_as<Written>;
  { T::missing(folder, std::uint64_t{}) } -> std::same_as<std::uint64_t>;
  { T::kRecords } -> std::convertible_to<int>;
  { T::plan() } -> std::same_as<RecordCostPlan>;
};

struct PeerRun {
  const RunOptions& options;
  Processors processors;
  std::uint64_t missing = 0;
};

// One producer; a full queue blocks. The time ends when all records are in the files.
template <Peer P, Case C>
void print_sustained(PeerRun& run, const char* sink, const std::string& parent) {
  if (!run.options.wants_case(C)) return;
  const int records = run.options.scaled(P::kRecords);
  Floor floor;
  std::vector<double> ratios;
  std::vector<double> rates;
  std::vector<double> floor_rates;
  std::vector<double> bytes;
  for (int repeat = 0; repeat < run.options.repeats_or_one(); ++repeat) {
    const TemporaryDirectory folder(parent);
    const auto floor_ticks = static_cast<double>(floor.burst_ticks(records));
    P::open(folder.path(), run.processors);
    const std::uint64_t start = __builtin_ia32_rdtsc();
    burst_ticks<P, C>(records);
    const Written written = P::close();
    const double ticks = static_cast<double>(written.tsc - start) / written.share;
    run.missing += P::missing(folder.path(), static_cast<std::uint64_t>(records));
    const double millions = 1e3 * tsc_ticks_per_ns() * records;
    ratios.push_back(floor_ticks / ticks);
    rates.push_back(millions / ticks);
    floor_rates.push_back(millions / floor_ticks);
    bytes.push_back(static_cast<double>(size_of_folder(folder.path())) / records);
  }
  const Spread rate = spread_of(rates, Better::higher);
  const Spread floor_rate = spread_of(floor_rates, Better::higher);
  Spread ratio = spread_of(ratios, Better::higher);
  ratio.best = rate.best / floor_rate.best;
  const auto line = [sink] {
    ResultLine of("sustained", P::kName, name_of(C));
    of.with("sink", sink);
    return of;
  };
  if (run.options.wants_row("sustained")) {
    line().print("ratio_to_floor", "x", ratio);
    line().print("rate", "M/s", rate);
    line().print("floor", "M/s", floor_rate);
  }
  if (run.options.wants_row("bytes_per_record")) {
    ResultLine("bytes_per_record", P::kName, name_of(C))
        .with("arguments", "constant")
        .print("file", "bytes", spread_of(bytes));
  }
}

template <Peer P>
void print_sustained_cases(PeerRun& run, const char* sink, const std::string& parent) {
  print_sustained<P, Case::static_text>(run, sink, parent);
  print_sustained<P, Case::string39>(run, sink, parent);
  print_sustained<P, Case::integer>(run, sink, parent);
  print_sustained<P, Case::two_integers>(run, sink, parent);
  print_sustained<P, Case::floating>(run, sink, parent);
  print_sustained<P, Case::five_arguments>(run, sink, parent);
}

template <Peer P>
void print_record_cost(PeerRun& run) {
  const auto wanted = [&](const char* row) { return run.options.wants_row(row); };
  if (!wanted("back_to_back") && !wanted("paced") && !wanted("cold")) return;
  const TemporaryDirectory folder("/dev/shm");
  P::open(folder.path(), run.processors);
  measure_record_cost<P>(run.options, P::plan());
  P::close();
  run.missing += P::missing(folder.path(), 0);
}

// `more` prints the rows that only this peer has.
template <Peer P, class More>
int run_peer(int argc, char** argv, More&& more) {
  int exit_code = kExitOk;
  const auto options = parse_run_options(
      argc, argv,
      "Rows back_to_back, paced, cold, sustained and bytes_per_record of another tracer.",
      &exit_code);
  if (!options) return exit_code;
  const auto processors = choose_processors();
  if (!processors) {
    std::fprintf(stderr, "only one processor: %s needs a second one beside the measured thread\n",
                 P::kName);
    return kExitNotPossible;
  }
  tsc_ticks_per_ns();
  pin_to(processors->measured);
  // Without TZ the C library checks the file of the local time zone for the time of every record.
  setenv("TZ", ":/etc/localtime", 0);  // NOLINT(concurrency-mt-unsafe): there is no other thread
  PeerRun run{*options, *processors};
  try {
    print_record_cost<P>(run);
    if (options->wants_row("sustained") || options->wants_row("bytes_per_record")) {
      print_sustained_cases<P>(run, "tmpfs", "/dev/shm");
    }
    // TMPDIR selects the disk. The row bytes_per_record is not repeated there: a peer's file has
    // the same size.
    const std::string disk = std::filesystem::temp_directory_path();
    if (options->wants_row("sustained") && !is_in_memory(disk)) {
      RunOptions sustained_only = *options;
      sustained_only.rows = {"sustained"};
      sustained_only.repeats = (options->repeats + 1) / 2;  // each repeat takes long enough
      PeerRun on_disk{sustained_only, *processors};
      print_sustained_cases<P>(on_disk, "disk", disk);
      run.missing += on_disk.missing;
    }
    more(run);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", P::kName, error.what());
    return kExitNotPossible;
  }
  if (run.missing == 0) return kExitOk;
  std::fprintf(stderr, "%s: %llu records are missing: invalid figures\n", P::kName,
               static_cast<unsigned long long>(run.missing));
  return kExitDoesNotCount;
}

template <Peer P>
int run_peer(int argc, char** argv) {
  return run_peer<P>(argc, argv, [](PeerRun&) {});
}

}  // namespace ringside::perf
