// A service that keeps spdlog, with Ringside's sink. `// LEVEL| TEXT` is the record of the next
// line; the test reads it.

#define SPDLOG_ACTIVE_LEVEL SPDLOG_LEVEL_TRACE
#include <memory>
#include <thread>

#include <ringside/compat/spdlog_sink.hpp>
#include <spdlog/spdlog.h>

int main() {
  const auto sink = std::make_shared<ringside::spdlog_sink_mt>();
  const auto orders = std::make_shared<spdlog::logger>("orders", sink);
  spdlog::register_logger(orders);
  spdlog::set_default_logger(std::make_shared<spdlog::logger>("", sink));
  spdlog::set_level(spdlog::level::trace);
  spdlog::set_pattern("[%n] %v");
  spdlog::flush_on(spdlog::level::err);
  // TRACE| trace 1
  SPDLOG_TRACE("trace {}", 1);
  // DEBUG| debug 2
  SPDLOG_DEBUG("debug {}", 2);
  // INFO| info 3
  SPDLOG_INFO("info {}", 3);
  // WARNING| warning 4
  SPDLOG_WARN("warning {}", 4);
  // ERROR| error 5
  SPDLOG_LOGGER_ERROR(orders, "error {}", 5);
  // CRITICAL| critical 6
  SPDLOG_LOGGER_CRITICAL(orders, "critical {}", 6);
  sink->set_level(spdlog::level::err);
  SPDLOG_INFO("below the sink's level");
  sink->set_level(spdlog::level::trace);
  std::thread([&orders] {
    // INFO| of a thread
    SPDLOG_LOGGER_INFO(orders, "of a thread");
  }).join();
  // Functions have no place in spdlog.
  spdlog::info("without a place");
  orders->info("without a place");
}
