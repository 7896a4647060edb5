#pragma once
// quill's loggers, its front end and its back end.

#include <atomic>
#include <initializer_list>
#include <map>
#include <mutex>
#include <string_view>
#include <utility>

#include "options.hpp"

namespace quill {

/// A name, which becomes the field `logger` of records, and a threshold.
class LoggerBase {
 public:
  explicit LoggerBase(std::string name) : name_(std::move(name)) {}
  LoggerBase(const LoggerBase&) = delete;
  LoggerBase& operator=(const LoggerBase&) = delete;
  virtual ~LoggerBase() = default;

  const std::string& get_logger_name() const { return name_; }
  bool is_valid_logger() const { return true; }
  void set_log_level(LogLevel level) { level_.store(level, std::memory_order_relaxed); }
  LogLevel get_log_level() const { return level_.load(std::memory_order_relaxed); }
  bool should_log_statement(LogLevel level) const { return level >= get_log_level(); }
  template <LogLevel kLevel>
  bool should_log_statement() const {
    return should_log_statement(kLevel);
  }

  /// ringside::flush() for at most 10 s.
  void flush_log(std::uint32_t /*sleep_duration_ns*/ = 100) {
    ringside::flush(std::chrono::seconds(10));
  }
  /// Nothing: a record survives the process without it.
  void set_immediate_flush(std::uint32_t /*messages*/ = 1) {}
  void init_backtrace(std::uint32_t /*capacity*/, LogLevel /*level*/ = LogLevel::None) {
    compat::report_backtrace();
  }
  void flush_backtrace() {}
  template <class... Arguments>
  void set_mdc(const Arguments&... /*arguments*/) {
    compat::report_mdc();
  }
  template <class... Arguments>
  void erase_mdc(const Arguments&... /*arguments*/) {}
  void clear_mdc() {}

 private:
  std::string name_;
  std::atomic<LogLevel> level_{LogLevel::Info};
};

template <class Options>
class LoggerImpl : public LoggerBase {
 public:
  using LoggerBase::LoggerBase;
};
using Logger = LoggerImpl<FrontendOptions>;

template <class Options>
class FrontendImpl {
 public:
  using logger_t = LoggerImpl<Options>;

  static void preallocate() { ringside::preallocate(); }

  template <class Type, class... Arguments>
  static std::shared_ptr<Sink> create_or_get_sink(const std::string& name,
                                                  const Arguments&... arguments) {
    compat::report_sink();
    const std::lock_guard lock(names().mutex);
    std::shared_ptr<Sink>& sink = names().sinks[name];
    if (sink == nullptr) sink = std::make_shared<Type>(name, arguments...);
    return sink;
  }
  static std::shared_ptr<Sink> get_sink(const std::string& name) {
    const std::lock_guard lock(names().mutex);
    return names().sinks[name];
  }

  // `arguments`: sinks, patterns, a clock, or a logger that has them.
  template <class... Arguments>
  static logger_t* create_or_get_logger(const std::string& name, Arguments&&... /*arguments*/) {
    const std::lock_guard lock(names().mutex);
    std::unique_ptr<logger_t>& logger = names().loggers[name];
    if (logger == nullptr) logger = std::make_unique<logger_t>(name);
    return logger.get();
  }
  template <class... Arguments>
  static logger_t* create_or_get_logger(const std::string& name,
                                        std::initializer_list<std::shared_ptr<Sink>> /*sinks*/,
                                        Arguments&&... /*arguments*/) {
    return create_or_get_logger(name);
  }
  static logger_t* get_logger(const std::string& name) {
    const std::lock_guard lock(names().mutex);
    const auto it = names().loggers.find(name);
    return it == names().loggers.end() ? nullptr : it->second.get();
  }
  static std::vector<logger_t*> get_all_loggers() {
    const std::lock_guard lock(names().mutex);
    std::vector<logger_t*> all;
    for (const auto& [name, logger] : names().loggers) all.push_back(logger.get());
    return all;
  }
  static std::size_t get_number_of_loggers() { return get_all_loggers().size(); }
  // The logger stays: other threads may still use it.
  static void remove_logger(LoggerBase* /*logger*/) {}

 private:
  struct Names {
    std::mutex mutex;
    std::map<std::string, std::shared_ptr<Sink>> sinks;
    std::map<std::string, std::unique_ptr<logger_t>> loggers;
  };
  // Never destroyed: destructors of static objects may log.
  static Names& names() {
    static Names& all = *new Names;
    return all;
  }
};
using Frontend = FrontendImpl<FrontendOptions>;

/// There is none in the service: consumerd reads the rings.
class Backend {
 public:
  template <class... Options>
  static void start(const Options&... /*options*/) {}
  template <class FrontendOptions, class... Options>
  static void start(const BackendOptions& /*options*/, const Options&... /*others*/) {}
  static void stop() noexcept { ringside::flush(std::chrono::seconds(10)); }
  static void notify() {}
  static bool is_running() noexcept { return true; }
};

}  // namespace quill
