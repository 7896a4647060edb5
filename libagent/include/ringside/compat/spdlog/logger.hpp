#pragma once
// spdlog's logger.

#include <atomic>

#include <ringside/text.hpp>

#include "observers.hpp"
#include "sinks_by_name.hpp"

namespace spdlog {

/// A name, which is the category of the records that its functions make, and a threshold.
///
/// Functions format the text in the service: the slow path of Ringside. The SPDLOG_ macros do not,
/// unless there is a backtrace or a sink of the service's own, which need the text too.
class logger {
 public:
  explicit logger(std::string name) : name_(std::move(name)) {}
  template <class It>
  logger(std::string name, It begin, It end)
      : name_(std::move(name)), observers_(std::vector<sink_ptr>(begin, end)) {
    decide_observation();
  }
  logger(std::string name, sink_ptr sink) : logger(std::move(name), {std::move(sink)}) {}
  logger(std::string name, sinks_init_list sinks)
      : logger(std::move(name), sinks.begin(), sinks.end()) {}
  logger(const logger& other)
      : name_(other.name_),
        level_(other.level()),
        flush_level_(other.flush_level()),
        on_error_(other.on_error_),
        observers_(other.observers_.sinks) {
    if (other.should_backtrace()) {
      observers_.backtrace.enable(other.observers_.backtrace.capacity());
    }
    decide_observation();
  }
  logger& operator=(const logger&) = delete;
  virtual ~logger() = default;

  template <class... Args>
  void log(source_loc place, level::level_enum level, format_string_t<Args...> format,
           Args&&... args) {
    record(place, level, format.format, args...);
  }
  template <class... Args>
  void log(level::level_enum level, format_string_t<Args...> format, Args&&... args) {
    record(format.place, level, format.format, args...);
  }
  template <class T>
  void log(level::level_enum level, const T& message, compat::Here here = compat::Here::now()) {
    log(here.place, level, message);
  }
  template <class T, std::enable_if_t<!compat::is_format<T>, int> = 0>
  void log(source_loc place, level::level_enum level, const T& message) {
    record(place, level, "{}", message);
  }
  void log(source_loc place, level::level_enum level, string_view_t text) {
    if (is_observed()) observe_text(place, level, text);
    if (should_log(level)) record_text(place, level, text);
  }
  void log(log_clock::time_point /*time*/, source_loc place, level::level_enum level,
           string_view_t text) {
    log(place, level, text);
  }

#define RS_SPDLOG_LEVEL_(function_, level_)                                   \
  template <class... Args>                                                    \
  void function_(format_string_t<Args...> format, Args&&... args) {           \
    record(format.place, level_, format.format, args...);                     \
  }                                                                           \
  template <class T>                                                          \
  void function_(const T& message, compat::Here here = compat::Here::now()) { \
    log(here.place, level_, message);                                         \
  }
  RS_SPDLOG_LEVEL_(trace, level::trace)
  RS_SPDLOG_LEVEL_(debug, level::debug)
  RS_SPDLOG_LEVEL_(info, level::info)
  RS_SPDLOG_LEVEL_(warn, level::warn)
  RS_SPDLOG_LEVEL_(error, level::err)
  RS_SPDLOG_LEVEL_(critical, level::critical)
#undef RS_SPDLOG_LEVEL_

  bool should_log(level::level_enum level) const {
    return level >= level_.load(std::memory_order_relaxed);
  }
  void set_level(level::level_enum level) {
    level_.store(level);
    decide_observation();
  }
  level::level_enum level() const {
    return static_cast<level::level_enum>(level_.load(std::memory_order_relaxed));
  }
  const std::string& name() const {
    return name_;
  }

  /// Flushes sinks of the service's own, then ringside::flush() for at most 1 s.
  void flush() {
    observers_.flush_sinks(on_error_);
    ringside::flush(std::chrono::seconds(1));
  }
  /// For sinks of the service's own alone: a record survives the process without it.
  void flush_on(level::level_enum level) {
    flush_level_.store(level, std::memory_order_relaxed);
  }
  level::level_enum flush_level() const {
    return flush_level_.load(std::memory_order_relaxed);
  }

  void set_pattern(const std::string& pattern,
                   pattern_time_type /*time*/ = pattern_time_type::local) {
    compat::report_pattern();
    for (const sink_ptr& each : observers_.sinks) each->set_pattern(pattern);
  }
  void set_formatter(std::unique_ptr<formatter> formatter) {
    if (formatter == nullptr) return;
    for (const sink_ptr& each : observers_.sinks) each->set_formatter(formatter->clone());
  }
  /// From now on, the texts of the last `messages` messages of all levels are formatted and kept.
  void enable_backtrace(std::size_t messages) {
    observers_.backtrace.enable(messages);
    decide_observation();
  }
  void disable_backtrace() {
    observers_.backtrace.disable();
    decide_observation();
  }
  bool should_backtrace() const {
    return observers_.backtrace.is_on();
  }
  /// Logs the kept messages at their levels and places, now. Then there are none.
  void dump_backtrace() {
    const std::deque<compat::HeldMessage> held = observers_.backtrace.take();
    if (held.empty() || !should_backtrace()) return;
    write({}, level::info, "****************** Backtrace Start ******************");
    for (const compat::HeldMessage& each : held) write(each.place, each.level, each.text);
    write({}, level::info, "****************** Backtrace End ********************");
  }

  const std::vector<sink_ptr>& sinks() const {
    return observers_.sinks;
  }
  /// The caller may add sinks, so macros look for such that need the text from now on.
  std::vector<sink_ptr>& sinks() {
    may_get_sinks_.store(true);
    decide_observation();
    return observers_.sinks;
  }
  void set_error_handler(err_handler handler) {
    on_error_ = std::move(handler);
  }
  virtual std::shared_ptr<logger> clone(std::string name) {
    auto copy = std::make_shared<logger>(*this);
    copy->name_ = std::move(name);
    return copy;
  }

  // For macros. Whether the level is reached and nothing but the trace needs the message.
  bool is_recorded_only(level::level_enum level) const {
    return level >= recorded_only_level_.load(std::memory_order_relaxed);
  }
  bool is_observed() const {
    return is_observed_.load(std::memory_order_relaxed);
  }
  // Formats the text for whom it concerns, and returns whether to record the message.
  template <class... Args>
  [[gnu::cold, gnu::noinline]] bool observe(source_loc place, level::level_enum level,
                                            const Args&... args) {
    if (should_backtrace() || (should_log(level) && observers_.has_called_sinks())) {
      memory_buf_t buffer;
      observe_text(place, level, compat::text_of(buffer, args...));
    }
    return should_log(level);
  }

 private:
  // Stores what macros read. A change in the meantime decides again: the lock is for both.
  void decide_observation() {
    const std::lock_guard lock(decision_);
    const bool is_observed =
        should_backtrace() || may_get_sinks_.load() || observers_.has_called_sinks();
    is_observed_.store(is_observed);
    recorded_only_level_.store(is_observed ? level::n_levels : level_.load());
  }

  void observe_text(source_loc place, level::level_enum level, string_view_t text) {
    if (should_backtrace()) observers_.backtrace.hold(place, level, text);
    if (should_log(level)) call_sinks(place, level, text);
  }
  void call_sinks(source_loc place, level::level_enum level, string_view_t text) {
    observers_.call_sinks(name_, place, level, text, flush_level(), on_error_);
  }
  void write(source_loc place, level::level_enum level, string_view_t text) {
    call_sinks(place, level, text);
    record_text(place, level, text);
  }

  rs_site* enabled_site(source_loc place, level::level_enum level, std::uint8_t* state) const {
    if (level == level::off) return nullptr;
    return ringside::detail::enabled_text_site(
        {place.filename, place.funcname, name_.data(), static_cast<std::uint32_t>(name_.size()),
         static_cast<std::uint32_t>(place.line), compat::level_of(level)},
        state);
  }
  void record_text(source_loc place, level::level_enum level, string_view_t text) const {
    std::uint8_t state = 0;
    if (rs_site* const site = enabled_site(place, level, &state)) {
      ringside::detail::record_text(site, state, {text.data(), text.size()});
    }
  }

  template <class... Args>
  void record(source_loc place, level::level_enum level, string_view_t format,
              const Args&... args) {
    std::uint8_t state = 0;
    rs_site* const site = should_log(level) ? enabled_site(place, level, &state) : nullptr;
    if (site == nullptr && !is_observed()) return;
    memory_buf_t text;
    bool is_handled = false;
    ringside::detail::call_guarded(
        [&] { fmt::vformat_to(fmt::appender(text), format, fmt::make_format_args(args...)); },
        [&](const char* failure) {
          is_handled = on_error_ != nullptr;
          if (is_handled) return on_error_(failure);
          text.clear();
          fmt::format_to(fmt::appender(text), "[invalid format: {}]", failure);
        });
    if (is_handled) return;
    if (is_observed()) observe_text(place, level, {text.data(), text.size()});
    if (site != nullptr) ringside::detail::record_text(site, state, {text.data(), text.size()});
  }

  std::string name_;
  std::atomic<int> level_{level::info};
  // Above all levels while messages are observed.
  std::atomic<int> recorded_only_level_{level::info};
  std::atomic<bool> is_observed_{false};
  std::atomic<bool> may_get_sinks_{false};
  std::mutex decision_;
  std::atomic<level::level_enum> flush_level_{level::off};
  err_handler on_error_;
  compat::Observers observers_;
};

}  // namespace spdlog
