// Cost of a log call whose statement records, counts its executions, or is off: by one thread in
// turns with the floor, and of the one that counts by 1 to N threads at the same time.

#include <algorithm>
#include <barrier>
#include <cstdio>
#include <exception>
#include <fcntl.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "perf/harness/paired_bursts.hpp"
#include "perf/harness/processors.hpp"
#include "perf/harness/result_line.hpp"
#include "perf/harness/run_options.hpp"
#include "perf/ringside/ringside_subject.hpp"
#include "perf/ringside/traced_run.hpp"
#include "shm-layout/control_page.hpp"
#include "shm-layout/segment_layout.hpp"
#include "shm-layout/site_switch.hpp"

namespace {

using namespace ringside::perf;
namespace shm = ringside::shm;

struct State {
  const char* name;
  std::uint8_t value;
};
constexpr State kRecords{"records", shm::kSwitchOn};
constexpr State kCounts{"counts", shm::kSwitchCounting};
constexpr State kOff{"off", shm::kSwitchOff};

ResultLine line_of(const State& state, int threads) {
  ResultLine line("switch_states", RingsideSubject::kName, name_of(Case::static_text));
  line.with("state", state.name).with("threads", std::int64_t{threads});
  return line;
}

// As a tool would: in the segment's file.
bool switch_all(std::uint8_t value) {
  const int fd = open(ringside::status().segment_path.c_str(), O_RDWR | O_CLOEXEC);
  shm::SegmentHeader header;
  bool done = fd >= 0 && pread(fd, &header, sizeof header, 0) == sizeof header;
  const auto layout = done ? shm::read_layout(header, header.segment_bytes) : std::nullopt;
  std::uint32_t sites = 0;
  done =
      layout &&
      pread(fd, &sites, sizeof sites,
            static_cast<off_t>(layout->control_offset + offsetof(shm::ServiceLine, site_count))) ==
          sizeof sites;
  const std::vector<std::uint8_t> switches(sites, value);
  done = done && pwrite(fd, switches.data(), switches.size(),
                        static_cast<off_t>(layout->switches_offset + 1)) ==
                     static_cast<ssize_t>(switches.size());
  close(fd);
  if (!done) std::fprintf(stderr, "the segment cannot be changed\n");
  return done;
}

bool measure_one(const State& state, const RunOptions& options) {
  BurstPlan plan;
  plan.pairs = options.scaled(plan.pairs * options.repeats_or_one());
  if (!switch_all(state.value)) return false;
  const BurstResult result = paired_bursts<RingsideSubject, Case::static_text>(plan);
  line_of(state, 1).print("call", "ns", spread_of(result.subject_ns));
  line_of(state, 1).print("ratio_to_floor", "x",
                          ratio_spread(result.ratio, result.subject_ns, result.floor_ns));
  return switch_all(shm::kSwitchOn);
}

// All threads execute the same statement all the time.
bool measure_together(int threads, const std::vector<int>& processors, const RunOptions& options) {
  constexpr int kCalls = 200'000;
  const int rounds = options.scaled(50 * options.repeats_or_one());
  std::vector<std::vector<double>> ns(static_cast<std::size_t>(threads));
  std::barrier together(threads);
  std::vector<std::thread> running;
  if (!switch_all(kCounts.value)) return false;
  for (std::size_t i = 0; i < ns.size(); ++i) {
    running.emplace_back([&, i] {
      pin_to(processors[processors.size() - 1 - i % processors.size()]);
      for (int round = 0; round < rounds; ++round) {
        together.arrive_and_wait();
        ns[i].push_back(
            static_cast<double>(burst_ticks<RingsideSubject, Case::static_text>(kCalls)) /
            (tsc_ticks_per_ns() * kCalls));
      }
    });
  }
  for (std::thread& thread : running) thread.join();
  std::vector<double> all;
  for (const auto& one : ns) all.insert(all.end(), one.begin(), one.end());
  line_of(kCounts, threads).with("load", "constant").print("call", "ns", spread_of(all));
  return switch_all(shm::kSwitchOn);
}

}  // namespace

int main(int argc, char** argv) try {
  int exit_code = kExitOk;
  const auto options = parse_run_options(argc, argv, "Row switch_states of Ringside.", &exit_code);
  if (!options) return exit_code;
  // Before the run pins this thread.
  const std::vector<int> processors = allowed_processors();
  TracedRun run;
  if (run.ready() != kExitOk) return run.ready();
  for (const State& state : {kRecords, kCounts, kOff}) {
    if (!measure_one(state, *options)) return kExitDoesNotCount;
  }
  const int most = std::max(4, static_cast<int>(std::thread::hardware_concurrency()));
  for (int threads = 1; threads <= most; threads *= 2) {
    if (!measure_together(threads, processors, *options)) return kExitDoesNotCount;
  }
  return run.finish();
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return ringside::perf::kExitDoesNotCount;
}
