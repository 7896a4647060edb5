// A source written for spdlog that keeps the names of its headers, with what needs the text of
// messages in the service. `// LEVEL| TEXT` is the record of the next line; the test reads it.

#define SPDLOG_ACTIVE_LEVEL SPDLOG_LEVEL_TRACE
#include <array>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <sstream>
#include <stdexcept>

#include <spdlog/async.h>
#include <spdlog/cfg/argv.h>
#include <spdlog/cfg/env.h>
#include <spdlog/fmt/bin_to_hex.h>
#include <spdlog/fmt/chrono.h>
#include <spdlog/fmt/fmt.h>
#include <spdlog/fmt/ostr.h>
#include <spdlog/fmt/ranges.h>
#include <spdlog/mdc.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/callback_sink.h>
#include <spdlog/sinks/dup_filter_sink.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/sinks/ringbuffer_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <spdlog/stopwatch.h>

namespace {

// Keeps the texts that it gets.
class KeepingSink : public spdlog::sinks::base_sink<std::mutex> {
 public:
  std::string texts;
  int flushes = 0;

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    if (message.payload.size() == 0) throw std::runtime_error("empty");
    spdlog::memory_buf_t text;
    formatter_->format(message, text);
    texts.append(text.data(), text.size());
  }
  void flush_() override { ++flushes; }
};

void log_backtrace(spdlog::logger& log) {
  log.set_level(spdlog::level::critical);
  log.enable_backtrace(3);
  SPDLOG_LOGGER_WARN(&log, "pushed out {}", 1);
  log.debug("pushed out too");
  // TRACE| first held 1
  log.trace("first held {}", 1);
  // DEBUG| second held 2
  SPDLOG_LOGGER_DEBUG(&log, "second held {}", 2);
  // WARNING| third held
  SPDLOG_LOGGER_WARN(&log, "third held");
  log.dump_backtrace();
  log.dump_backtrace();
  log.disable_backtrace();
  SPDLOG_LOGGER_DEBUG(&log, "not held");
  log.dump_backtrace();
}

void log_to_own_sinks() {
  auto kept = std::make_shared<KeepingSink>();
  std::ostringstream out;
  int calls = 0;
  auto called = std::make_shared<spdlog::sinks::callback_sink_mt>(
      [&calls](const spdlog::details::log_msg& message) { calls += message.source.line > 0; });
  auto stream = std::make_shared<spdlog::sinks::ostream_sink_st>(out);
  spdlog::logger log("own", {kept, stream});
  log.set_level(spdlog::level::debug);
  kept->set_level(spdlog::level::warn);
  log.flush_on(spdlog::level::err);
  // DEBUG| macro 1
  SPDLOG_LOGGER_DEBUG(&log, "macro {}", 1);
  // WARNING| function 2
  log.warn("function {}", 2);
  log.sinks().push_back(called);
  // ERROR| macro 3
  SPDLOG_LOGGER_ERROR(&log, "macro {}", 3);
  SPDLOG_LOGGER_TRACE(&log, "below the level");
  int errors = 0;
  log.set_error_handler([&errors](const std::string& text) { errors += text == "empty"; });
  // ERROR|
  log.error("");
  const auto copy = log.clone("copy");
  // CRITICAL| macro 4
  SPDLOG_LOGGER_CRITICAL(copy, "macro {}", 4);
  std::cout << kept->texts << "--\n"
            << out.str() << "--\n"
            << calls << ' ' << kept->flushes << ' ' << errors << '\n';
}

void log_values() {
  const std::array<char, 3> bytes{'a', '\0', '\x7f'};
  // INFO| bytes 61 00 7f and 6100
  spdlog::info("bytes {:n} and {:ns}", spdlog::to_hex(bytes), spdlog::to_hex(&bytes[0], &bytes[2]));
  // INFO| lines \n61 00  a.\n7f     .
  SPDLOG_INFO("lines {:pa}", spdlog::to_hex(bytes, 2));
  const spdlog::stopwatch watch;
  // INFO| early
  SPDLOG_INFO("{}", fmt::format("{:.0f}", watch) == "0" ? "early" : "late");
  // INFO| took 5ms
  spdlog::info("took {}", std::chrono::milliseconds(5));
  const int pair[2] = {4, 5};
  // INFO| array [4, 5]
  SPDLOG_INFO("array {}", pair);
}

void log_by_level() {
  std::array<char, 64> level{"SPDLOG_LEVEL=warn, loud = TRACE ,odd=strange"};
  std::array<char, 8> name{"program"};
  std::array<char*, 2> arguments{name.data(), level.data()};
  spdlog::cfg::load_argv_levels(2, arguments.data());
  const auto loud = spdlog::stdout_color_mt<spdlog::async_factory>("loud");
  const auto quiet = spdlog::create_async<spdlog::sinks::basic_file_sink_mt>("quiet", "file");
  const auto odd = spdlog::create<spdlog::sinks::basic_file_sink_st>("odd", "file");
  // TRACE| loud
  loud->trace("loud");
  SPDLOG_LOGGER_INFO(quiet, "below warn");
  SPDLOG_LOGGER_INFO(odd, "below warn too");
  setenv("SPDLOG_LEVEL", "info,quiet=off", 1);
  spdlog::cfg::load_env_levels();
  // INFO| odd
  SPDLOG_LOGGER_INFO(odd, "odd");
  quiet->critical("off");
  std::cout << spdlog::level::to_string_view(quiet->level()).data() << ' ' << loud->sinks().size()
            << '\n';
}

void log_through_sinks_of_sinks() {
  const auto kept = std::make_shared<spdlog::sinks::ringbuffer_sink_mt>(2);
  const auto once = std::make_shared<spdlog::sinks::dup_filter_sink_mt>(std::chrono::hours(1));
  once->add_sink(kept);
  spdlog::logger log("filtered", once);
  for (int i = 0; i < 3; ++i) {
    // INFO| repeated
    if (i == 0) log.info("repeated");
    // INFO| repeated
    if (i == 1) log.info("repeated");
    // INFO| repeated
    if (i == 2) log.info("repeated");
  }
  // WARNING| another
  SPDLOG_LOGGER_WARN(&log, "another");
  spdlog::mdc::put("order", "7");
  for (const std::string& text : kept->last_formatted()) std::cout << text;
  std::cout << kept->last_formatted(1).size() << spdlog::mdc::get("order")
            << spdlog::mdc::get("none") << '\n';
}

}  // namespace

int main() {
  const auto log = std::make_shared<spdlog::logger>("held");
  log_backtrace(*log);
  log_to_own_sinks();
  log_values();
  log_by_level();
  log_through_sinks_of_sinks();
  spdlog::drop_all();
  std::cout << (spdlog::default_logger() == nullptr) << (spdlog::get("loud") == nullptr) << '\n';
  // INFO| after drop_all
  SPDLOG_INFO("after drop_all");
}
