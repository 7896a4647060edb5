// A source written for quill. `// LEVEL| TEXT` is the record of the next line; the test reads it.

#include <chrono>
#include <string>
#include <utility>

#define QUILL_COMPILE_ACTIVE_LOG_LEVEL QUILL_COMPILE_ACTIVE_LOG_LEVEL_TRACE_L2
#include <ringside/compat/quill.hpp>

struct BoundedOptions : quill::FrontendOptions {
  static constexpr quill::QueueType queue_type = quill::QueueType::BoundedDropping;
};

int main() {
  quill::BackendOptions options;
  options.thread_name = "unused";
  quill::Backend::start(options);
  auto sink = quill::Frontend::create_or_get_sink<quill::ConsoleSink>("console");
  quill::Logger* logger = quill::Frontend::create_or_get_logger(
      "root", std::move(sink), quill::PatternFormatterOptions{"%(message)"});
  const int a = 123;
  const std::string l = "log";
  LOG_DEBUG(logger, "below the first level {}", a);
  logger->set_log_level(quill::LogLevel::TraceL3);
  LOG_TRACE_L3(logger, "not compiled {}", a);
  // TRACE| trace 2
  LOG_TRACE_L2(logger, "trace {}", 2);
  // TRACE| trace 1
  LOG_TRACE_L1(logger, "trace {}", 1);
  // DEBUG| debug 123
  LOG_DEBUG(logger, "debug {}", a);
  // INFO| A log message with number 0x7b
  LOG_INFO(logger, "A {} message with number {:#x}", l, a);
  // NOTICE| no arguments {}
  LOG_NOTICE(logger, "no arguments {{}}");
  // WARNING| named 123 and log
  LOG_WARNING(logger, "named {number} and {text:>3}", a, l);
  // ERROR| error 1.50
  LOG_ERROR(logger, "error {:.2f}", 1.5);
  // CRITICAL| critical
  LOG_CRITICAL(logger, "critical");
  for (const quill::LogLevel level : {quill::LogLevel::TraceL3, quill::LogLevel::Warning}) {
    // WARNING| dynamic 123
    LOG_DYNAMIC(logger, level, "dynamic {}", a);
  }
  // INFO| variables [a: 123, l: log]
  LOGV_INFO(logger, "variables", a, l);
  // INFO| json 123, log
  LOGJ_INFO(logger, "json", a, l);
  for (int i = 0; i < 20; ++i) {
    // INFO| once a day 0
    LOG_INFO_LIMIT(std::chrono::hours{24}, logger, "once a day {}", i);
    if (i >= 10) continue;
    // NOTICE| every tenth [i: 0]
    LOGV_NOTICE_LIMIT_EVERY_N(10, logger, "every tenth", i);
  }
  // TRACE| backtrace 1
  LOG_BACKTRACE(logger, "backtrace {}", 1);
  auto* bounded = quill::FrontendImpl<BoundedOptions>::create_or_get_logger("bounded");
  // INFO| bounded
  LOG_INFO(bounded, "bounded");
  // INFO| found
  LOG_INFO(quill::Frontend::get_logger("root"), "found");
  logger->init_backtrace(2, quill::LogLevel::Error);
  logger->set_mdc("request", 42);
  logger->flush_log();
  quill::Backend::stop();
}
