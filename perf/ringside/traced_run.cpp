#include "perf/ringside/traced_run.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "perf/harness/result_line.hpp"

namespace ringside::perf {

TracedRun::TracedRun(const std::string& output_parent, Options options, Outputs outputs,
                     const std::vector<std::string>& settings)
    : shm_("/dev/shm"),
      output_(output_parent),
      ready_(start(std::move(options), outputs, settings)) {}

TracedRun::~TracedRun() = default;

int TracedRun::start(Options options, Outputs outputs, const std::vector<std::string>& settings) {
  if (shm_.path().empty() || output_.path().empty()) {
    std::fprintf(stderr, "cannot create a directory in /dev/shm or for the output\n");
    return kExitNotPossible;
  }
  const auto processors = choose_processors();
  if (!processors) {
    std::fprintf(stderr,
                 "only one processor: consumerd needs a second one beside the measured thread\n");
    return kExitNotPossible;
  }
  processors_ = *processors;
  // Settings of the library in the environment would change what is measured.
  for (const char* name :
       {"RINGSIDE_SHM_DIR", "RINGSIDE_RING_BYTES", "RINGSIDE_MAX_THREADS", "RINGSIDE_OVERFLOW",
        "RINGSIDE_BLOCK_TIMEOUT_MS", "RINGSIDE_ABSENT_TIMEOUT_MS", "RINGSIDE_LEVEL",
        "RINGSIDE_DISABLE", "RINGSIDE_SERVICE", "RINGSIDE_CLOCK", "RINGSIDE_COST_SAMPLING"}) {
    unsetenv(name);  // NOLINT(concurrency-mt-unsafe): before any thread
  }
  consumerd_ = std::make_unique<ConsumerdProcess>(shm_.path(), output_.path(), processors_.consumer,
                                                  outputs, settings);
  pin_to(processors_.measured);
  options.shm_dir = shm_.path();
  const Status status = init(options);
  if (status.state != State::live || !preallocate()) {
    std::fprintf(stderr, "tracing does not start: %s\n", status.message.c_str());
    return kExitNotPossible;
  }
  // Until consumerd has adopted the segment, the first measurements would have no consumer.
  const bool served = flush(std::chrono::seconds(10));
  if (!served || !consumerd_->runs()) {
    std::fprintf(stderr, "%s does not drain this process: %s, exit status %d\n", CONSUMERD_PATH,
                 served ? "it exited" : "no answer within 10 s", consumerd_->terminate());
    return kExitNotPossible;
  }
  return kExitOk;
}

int TracedRun::finish() {
  const bool written = flush(std::chrono::seconds(30));
  const Status status = ringside::status();
  const int consumerd = consumerd_->terminate();
  if (written && status.dropped == 0 && status.refused == 0 && consumerd == 0) return kExitOk;
  std::fprintf(stderr, "%s, dropped=%lu, refused=%lu, consumerd exit status %d: invalid figures\n",
               written ? "all written" : "not all written", status.dropped, status.refused,
               consumerd);
  return kExitDoesNotCount;
}

}  // namespace ringside::perf
