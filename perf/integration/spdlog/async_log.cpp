#include "perf/integration/spdlog/async_log.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include <spdlog/async.h>
#include <spdlog/sinks/basic_file_sink.h>

namespace ringside::perf {
namespace {

// The memory of Ringside's two rings of 1 MiB would hold 6,000 slots; spdlog benefits from more.
constexpr std::size_t kQueueSlots = 32768;

class AsyncLog {
 public:
  AsyncLog() {
    const char* const file = std::getenv("KVD_LOG_FILE");  // NOLINT(concurrency-mt-unsafe)
    if (file == nullptr) fail("KVD_LOG_FILE is not set; set it to the path of the log file");
    // The background thread inherits this mask: kvd's main thread handles its signals.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
      spdlog::init_thread_pool(kQueueSlots, 1);
      log_ = spdlog::create_async<spdlog::sinks::basic_file_sink_mt>("kvd", file);
      log_->set_level(spdlog::level::trace);
    } catch (const std::exception& error) {
      fail(error.what());
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  ~AsyncLog() {
    log_.reset();
    spdlog::shutdown();
  }
  AsyncLog(const AsyncLog&) = delete;
  AsyncLog& operator=(const AsyncLog&) = delete;

  [[nodiscard]] spdlog::logger& log() const { return *log_; }

 private:
  [[noreturn]] static void fail(const char* why) {
    std::fprintf(stderr, "kvd: spdlog: %s\n", why);
    std::_Exit(EXIT_FAILURE);
  }

  std::shared_ptr<spdlog::logger> log_;
};

}  // namespace

spdlog::logger& async_log() {
  static AsyncLog log;
  return log.log();
}

}  // namespace ringside::perf
