#pragma once
// spdlog's interface for sinks and formatters. Sinks of the service's own get each message as text.

#include <atomic>
#include <cstdio>
#include <ctime>
#include <mutex>

#include "level_and_format.hpp"

namespace spdlog {

namespace compat {

inline void report_sink() {
  static std::uint8_t is_reported = 0;
  rs_report_once(&is_reported,
                 "spdlog: sinks, their files and their levels have no effect: consumerd writes all "
                 "records to its trace file; ringcat filters them");
}
inline void report_pattern() {
  static std::uint8_t is_reported = 0;
  rs_report_once(&is_reported,
                 "spdlog: set_pattern has no effect: ringcat chooses what it prints; see its "
                 "options --format and --template");
}

}  // namespace compat

namespace details {

using std::make_unique;

/// What sinks and formatters get. The texts live as long as the call.
struct log_msg {
  string_view_t logger_name;
  level::level_enum level = level::off;
  log_clock::time_point time;
  std::size_t thread_id = 0;
  source_loc source;
  string_view_t payload;
};

/// For sinks of one thread.
struct null_mutex {
  void lock() const {}
  void unlock() const {}
};

namespace os {
inline constexpr const char* default_eol = "\n";
}  // namespace os

}  // namespace details

class formatter {
 public:
  virtual ~formatter() = default;
  virtual void format(const details::log_msg& message, memory_buf_t& out) = 0;
  virtual std::unique_ptr<formatter> clone() const = 0;
};

/// A flag of a pattern of the service's own. It is never called.
class custom_flag_formatter {
 public:
  virtual ~custom_flag_formatter() = default;
  virtual void format(const details::log_msg& message, const std::tm& time, memory_buf_t& out) = 0;
  virtual std::unique_ptr<custom_flag_formatter> clone() const = 0;
};

/// The text and the end of the line, whatever the pattern.
class pattern_formatter : public formatter {
 public:
  template <class... Arguments>
  explicit pattern_formatter(const Arguments&... /*arguments*/) {
    if constexpr (sizeof...(Arguments) > 0) compat::report_pattern();
  }
  template <class Flag, class... Arguments>
  pattern_formatter& add_flag(char /*flag*/, const Arguments&... /*arguments*/) {
    static_assert(std::is_base_of_v<custom_flag_formatter, Flag>);
    compat::report_pattern();
    return *this;
  }
  void set_pattern(const std::string& /*pattern*/) { compat::report_pattern(); }
  void format(const details::log_msg& message, memory_buf_t& out) override {
    out.append(message.payload.data(), message.payload.data() + message.payload.size());
    out.push_back('\n');
  }
  std::unique_ptr<formatter> clone() const override {
    return std::make_unique<pattern_formatter>();
  }
};

namespace sinks {

class sink {
 public:
  sink() = default;
  sink(const sink&) = delete;
  sink& operator=(const sink&) = delete;
  virtual ~sink() = default;
  virtual void log(const details::log_msg& message) = 0;
  virtual void flush() = 0;
  virtual void set_pattern(const std::string& pattern) = 0;
  virtual void set_formatter(std::unique_ptr<formatter> formatter) = 0;
  /// Whether messages must be formatted for it.
  virtual bool is_called() const { return true; }

  void set_level(level::level_enum level) {
    if (!is_called()) compat::report_sink();
    level_.store(level, std::memory_order_relaxed);
  }
  level::level_enum level() const { return level_.load(std::memory_order_relaxed); }
  bool should_log(level::level_enum level) const { return level >= this->level(); }

 private:
  std::atomic<level::level_enum> level_{level::trace};
};

/// A sink of the service's own, with a lock.
template <class Mutex>
class base_sink : public sink {
 public:
  base_sink() = default;
  explicit base_sink(std::unique_ptr<formatter> formatter) : formatter_(std::move(formatter)) {}
  void log(const details::log_msg& message) final {
    const std::lock_guard<Mutex> lock(mutex_);
    sink_it_(message);
  }
  void flush() final {
    const std::lock_guard<Mutex> lock(mutex_);
    flush_();
  }
  void set_pattern(const std::string& pattern) final {
    const std::lock_guard<Mutex> lock(mutex_);
    set_pattern_(pattern);
  }
  void set_formatter(std::unique_ptr<formatter> formatter) final {
    const std::lock_guard<Mutex> lock(mutex_);
    set_formatter_(std::move(formatter));
  }

 protected:
  virtual void sink_it_(const details::log_msg& message) = 0;
  virtual void flush_() = 0;
  virtual void set_pattern_(const std::string& /*pattern*/) { compat::report_pattern(); }
  virtual void set_formatter_(std::unique_ptr<formatter> formatter) {
    formatter_ = std::move(formatter);
  }

  std::unique_ptr<formatter> formatter_ = std::make_unique<pattern_formatter>();
  Mutex mutex_;
};

}  // namespace sinks

using sink_ptr = std::shared_ptr<sinks::sink>;
using sinks_init_list = std::initializer_list<sink_ptr>;

}  // namespace spdlog
