// Processor time and wake-ups of consumerd while nothing is logged, with 0, 64 and 1,024 rings,
// compared with loops of bare naps: of 1 ms, as consumerd takes them if it must not sleep, and of
// 100 ms, as it sleeps.

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <thread>
#include <unistd.h>
#include <vector>

#include "perf/harness/processors.hpp"
#include "perf/harness/result_line.hpp"
#include "perf/harness/run_options.hpp"
#include "perf/ringside/consumerd_process.hpp"
#include "perf/ringside/process_usage.hpp"
#include "perf/ringside/service_process.hpp"
#include "perf/ringside/temporary_directory.hpp"

namespace {

using namespace ringside::perf;
using Clock = std::chrono::steady_clock;

// Percentage of a core that process `pid` used while `run` ran.
template <class Run>
double share_of_core(pid_t pid, Run&& run) {
  const auto from = Clock::now();
  const std::uint64_t before = cpu_ns(pid);
  run();
  const std::uint64_t spent = cpu_ns(pid) - before;
  const std::chrono::duration<double, std::nano> took = Clock::now() - from;
  return 100 * static_cast<double>(spent) / took.count();
}

// Percentage of a core that a loop of naps uses in `time`.
double share_of_naps(std::chrono::milliseconds nap, std::chrono::milliseconds time) {
  return share_of_core(getpid(), [&] {
    for (const auto end = Clock::now() + time; Clock::now() < end;) {
      std::this_thread::sleep_for(nap);
    }
  });
}

int measure(int rings, const RunOptions& options, const Processors& processors) {
  const TemporaryDirectory shm("/dev/shm");
  const TemporaryDirectory out("/dev/shm");
  ConsumerdProcess consumerd(shm.path(), out.path(), processors.consumer);
  std::unique_ptr<ServiceProcess> service;
  if (rings > 0) {
    ServiceProcess::Plan plan;
    plan.threads = rings;
    plan.options.shm_dir = shm.path();
    plan.options.ring_bytes = 64U << 10;  // the number matters, not the size
    service = std::make_unique<ServiceProcess>(plan);
    if (!service->ready()) {
      std::fprintf(stderr, "the service with %d rings did not start\n", rings);
      return kExitDoesNotCount;
    }
  }
  const auto moment = std::chrono::milliseconds(options.quick ? 200 : 1000);
  std::this_thread::sleep_for(std::chrono::seconds(1));  // until consumerd sleeps
  std::vector<double> shares;
  std::vector<double> naps;
  std::vector<double> sleeps;
  std::vector<double> wakes;
  for (int repeat = 0; repeat < options.repeats; ++repeat) {
    const std::uint64_t before = wake_ups(consumerd.pid());
    const auto begin = Clock::now();
    shares.push_back(share_of_core(consumerd.pid(), [&] { std::this_thread::sleep_for(moment); }));
    const std::chrono::duration<double> took = Clock::now() - begin;
    wakes.push_back(static_cast<double>(wake_ups(consumerd.pid()) - before) / took.count());
    naps.push_back(share_of_naps(std::chrono::milliseconds(1), moment));
    sleeps.push_back(share_of_naps(std::chrono::milliseconds(100), moment));
  }
  const auto line = [rings] {
    ResultLine of("idle", "ringside", "idle");
    of.with("rings", static_cast<std::int64_t>(rings));
    return of;
  };
  line().print("consumerd", "%", spread_of(shares));
  line().print("bare_naps", "%", spread_of(naps));
  line().print("bare_sleeps", "%", spread_of(sleeps));
  line().print("wake_ups", "1/s", spread_of(wakes));
  service.reset();
  return consumerd.terminate() == 0 ? kExitOk : kExitDoesNotCount;
}

}  // namespace

int main(int argc, char** argv) try {
  int exit_code = kExitOk;
  const auto options = parse_run_options(argc, argv, "Row idle of Ringside.", &exit_code);
  if (!options) return exit_code;
  const auto processors = choose_processors();
  if (!processors) {
    std::fprintf(stderr, "only one processor: consumerd needs a second one\n");
    return kExitNotPossible;
  }
  for (const int rings : {0, 64, 1024}) {
    const int status = measure(rings, *options, *processors);
    if (status != kExitOk) return status;
  }
  return kExitOk;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return ringside::perf::kExitDoesNotCount;
}
