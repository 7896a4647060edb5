// spdlog: one asynchronous logger, one background thread, a full queue blocks, basic_file_sink,
// default pattern. The caller formats the message, and the thread formats the rest of the line.

#include <cstdio>
#include <exception>
#include <memory>
#include <unistd.h>

#include <spdlog/async_logger.h>
#include <spdlog/details/thread_pool.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/spdlog.h>

#include "perf/peers/peer_rows.hpp"

namespace {

using namespace ringside::perf;

struct SpdlogPeer {
  static constexpr const char* kName = "spdlog";
  static constexpr int kRecords = 300'000;
  static constexpr std::size_t kQueueSlots = 32768;  // never full in a burst or a paced block

  static inline std::shared_ptr<spdlog::details::thread_pool> pool;
  static inline std::shared_ptr<spdlog::async_logger> log;

  static RecordCostPlan plan() {
    RecordCostPlan plan;
    plan.bursts.pairs = 60;
    return plan;
  }

  static void open(const std::string& folder, Processors processors) {
    pin_to(processors.consumer);  // the background thread inherits it
    pool = std::make_shared<spdlog::details::thread_pool>(kQueueSlots, 1);
    pin_to(processors.measured);
    log = std::make_shared<spdlog::async_logger>(
        "log", std::make_shared<spdlog::sinks::basic_file_sink_st>(folder + "/log"), pool,
        spdlog::async_overflow_policy::block);
  }
  static Written close() {
    pool.reset();  // joins the thread after it has written all records
    log.reset();   // closes the file
    return {__builtin_ia32_rdtsc()};
  }
  static std::uint64_t missing(const std::string& folder, std::uint64_t logged) {
    return missing_lines(folder, logged);
  }
  static void settle() {
    while (pool->queue_size() > 0) usleep(50);
  }

  template <Case C>
  [[gnu::always_inline]] static void call(int /*i*/) {
    if constexpr (C == Case::static_text) {
      log->info("Starting backup replica garbage collector thread");
    } else if constexpr (C == Case::string39) {
      log->info("Opened session with coordinator at {}", string39());
    } else if constexpr (C == Case::integer) {
      log->info("Backup storage speeds (min): {} MB/s read", integer());
    } else if constexpr (C == Case::two_integers) {
      log->info("Buffer has consumed {} bytes of extra storage, current allocation: {} bytes",
                two_integers_first(), two_integers_second());
    } else if constexpr (C == Case::floating) {
      log->info("Using tombstone ratio balancer with ratio = {:.6f}", floating());
    } else {
      log->info(
          "Initialized InfUdDriver buffers: {} receive buffers ({} MB), {} transmit buffers "
          "({} MB), took {:.1f} ms",
          five_first(), five_second(), five_third(), five_fourth(), five_fifth());
    }
  }
};

}  // namespace

int main(int argc, char** argv) try {
  return run_peer<SpdlogPeer>(argc, argv);
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return ringside::perf::kExitDoesNotCount;
}
