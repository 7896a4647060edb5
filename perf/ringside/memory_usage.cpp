// Memory of both sides: a service with 1 and with 64 threads, untraced, traced with one record per
// thread, and traced with rings that have been filled completely; and of the consumerd that serves
// it. With 10,000 threads, untraced and with one record each.

#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>

#include <sys/stat.h>

#include "perf/harness/processors.hpp"
#include "perf/harness/result_line.hpp"
#include "perf/harness/run_options.hpp"
#include "perf/ringside/consumerd_process.hpp"
#include "perf/ringside/process_usage.hpp"
#include "perf/ringside/service_process.hpp"
#include "perf/ringside/temporary_directory.hpp"

namespace {

using namespace ringside::perf;

struct Situation {
  const char* name;
  bool traced;
  int records;  // per thread
};

// A record of two integers takes 16 bytes, so this number fills a ring of 1 MiB once and a little
// more.
constexpr Situation kSituations[] = {
    {"untraced", false, 1}, {"one_record", true, 1}, {"rings_used", true, 70'000}};

constexpr int kManyThreads = 10'000;

void print(const char* of, int threads, const char* situation, const MemoryUsage& usage) {
  const auto line = [&] {
    ResultLine result("memory", "ringside", situation);
    result.with("of", of).with("threads", static_cast<std::int64_t>(threads));
    return result;
  };
  line().print("rss", "KiB", exactly(usage.rss_kib));
  line().print("pss", "KiB", exactly(usage.pss_kib));
}

int measure(int threads, const Situation& situation, const Processors& processors) {
  const TemporaryDirectory shm("/dev/shm");
  const TemporaryDirectory out("/dev/shm");
  ConsumerdProcess consumerd(shm.path(), out.path(), processors.consumer);
  ServiceProcess::Plan plan;
  plan.threads = threads;
  plan.records = situation.records;
  plan.traced = situation.traced;
  plan.options.shm_dir = shm.path();
  plan.options.max_threads = static_cast<std::uint32_t>(threads) + 1;
  // Many threads may fill their rings on one processor; only the filled rings matter.
  plan.options.block_timeout = std::chrono::seconds(10);
  ServiceProcess service(plan);
  if (!service.ready()) {
    std::fprintf(stderr, "the service with %d threads did not start, or it lost records\n",
                 threads);
    return kExitDoesNotCount;
  }
  print("service", threads, situation.name, memory_of(service.pid()));
  if (situation.traced) print("consumerd", threads, situation.name, memory_of(consumerd.pid()));
  return kExitOk;
}

}  // namespace

int main(int argc, char** argv) try {
  int exit_code = kExitOk;
  const auto options = parse_run_options(argc, argv, "Row memory of Ringside.", &exit_code);
  if (!options) return exit_code;
  const auto processors = choose_processors();
  if (!processors) {
    std::fprintf(stderr, "only one processor: consumerd needs a second one\n");
    return kExitNotPossible;
  }
  for (const int threads : {1, 64, kManyThreads}) {
    for (const Situation& situation : kSituations) {
      // Their whole rings need 10 GiB.
      if (threads == kManyThreads && (options->quick || situation.records > 1)) continue;
      const int status = measure(threads, situation, *processors);
      if (status != kExitOk) return status;
    }
  }
  return kExitOk;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return ringside::perf::kExitDoesNotCount;
}
