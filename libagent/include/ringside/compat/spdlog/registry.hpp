#pragma once
// spdlog's loggers by name, and its functions for all of them.

#include <map>
#include <mutex>

#include "logger.hpp"

namespace spdlog {

namespace compat {

// What calls that name no logger use: read without the lock. Null before the first use.
inline std::atomic<logger*> current_default{nullptr};

struct Registry {
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<logger>, std::less<>> loggers;
  std::shared_ptr<logger> first = std::make_shared<logger>("");
  // The last one: calls that name no logger still use it when all loggers are dropped.
  std::shared_ptr<logger> kept = first;
  level::level_enum level = level::info;
  std::map<std::string, level::level_enum, std::less<>> levels_of_names;
  level::level_enum flush_level = level::off;
  err_handler on_error;
  std::size_t backtrace_messages = 0;
  bool registers = true;

  Registry() {
    loggers.emplace("", first);
    current_default.store(first.get(), std::memory_order_release);
  }

  // Never destroyed: destructors of static objects may log.
  static Registry& instance() {
    static Registry& registry = *new Registry;
    return registry;
  }

  std::shared_ptr<logger> find(std::string_view name) {
    const std::lock_guard lock(mutex);
    const auto it = loggers.find(name);
    return it == loggers.end() ? nullptr : it->second;
  }
  // What loggers that are created later get.
  template <class T>
  void set(T Registry::*setting, const T& value) {
    const std::lock_guard lock(mutex);
    this->*setting = value;
  }
  void add(std::shared_ptr<logger> added) {
    const std::lock_guard lock(mutex);
    const std::string name = added->name();
    if (loggers.emplace(name, std::move(added)).second) return;
#if defined(__cpp_exceptions)
    throw spdlog_ex("logger with name '" + name + "' already exists");
#else
    static std::uint8_t is_reported = 0;
    rs_report_once(&is_reported,
                   "spdlog: a logger whose name already exists is not registered; choose another "
                   "name");
#endif
  }
  void initialize(std::shared_ptr<logger> added) {
    bool is_added = false;
    {
      const std::lock_guard lock(mutex);
      is_added = registers;
      const auto own = levels_of_names.find(added->name());
      added->set_level(own == levels_of_names.end() ? level : own->second);
      added->flush_on(flush_level);
      if (on_error) added->set_error_handler(on_error);
      if (backtrace_messages > 0) added->enable_backtrace(backtrace_messages);
    }
    if (is_added) add(std::move(added));
  }
};

template <class Sink, class... Arguments>
std::shared_ptr<logger> create_logger(std::string name, Arguments&&... arguments) {
  if (std::is_base_of_v<sinks::stand_in, Sink>) report_sink();
  auto created = std::make_shared<logger>(
      std::move(name), std::make_shared<Sink>(std::forward<Arguments>(arguments)...));
  Registry::instance().initialize(created);
  return created;
}

}  // namespace compat

inline std::shared_ptr<logger> get(std::string_view name) {
  return compat::Registry::instance().find(name);
}
inline logger* default_logger_raw() {
  logger* const current = compat::current_default.load(std::memory_order_acquire);
  if (__builtin_expect(current != nullptr, 1)) return current;
  return compat::Registry::instance().kept.get();
}
inline std::shared_ptr<logger> default_logger() {
  compat::Registry& registry = compat::Registry::instance();
  const std::lock_guard lock(registry.mutex);
  return registry.first;
}
inline void set_default_logger(std::shared_ptr<logger> replacement) {
  compat::Registry& registry = compat::Registry::instance();
  const std::lock_guard lock(registry.mutex);
  if (replacement != nullptr) registry.loggers[replacement->name()] = replacement;
  registry.first = std::move(replacement);
  if (registry.first == nullptr) return;
  registry.kept = registry.first;
  compat::current_default.store(registry.first.get(), std::memory_order_release);
}
inline void register_logger(std::shared_ptr<logger> added) {
  compat::Registry::instance().add(std::move(added));
}
inline void initialize_logger(std::shared_ptr<logger> added) {
  compat::Registry::instance().initialize(std::move(added));
}
/// The level that load_env_levels() found for its name, or that of all loggers.
inline void apply_logger_env_levels(const std::shared_ptr<logger>& to) {
  compat::Registry& registry = compat::Registry::instance();
  const std::lock_guard lock(registry.mutex);
  const auto own = registry.levels_of_names.find(to->name());
  to->set_level(own == registry.levels_of_names.end() ? registry.level : own->second);
}
inline void set_automatic_registration(bool registers) {
  compat::Registry::instance().set(&compat::Registry::registers, registers);
}
inline void apply_all(const std::function<void(std::shared_ptr<logger>)>& function) {
  compat::Registry& registry = compat::Registry::instance();
  const std::lock_guard lock(registry.mutex);
  for (const auto& [name, each] : registry.loggers) function(each);
}
inline void drop(const std::string& name) {
  compat::Registry& registry = compat::Registry::instance();
  const std::lock_guard lock(registry.mutex);
  registry.loggers.erase(name);
  if (registry.first != nullptr && registry.first->name() == name) registry.first.reset();
}
inline void drop_all() {
  compat::Registry& registry = compat::Registry::instance();
  const std::lock_guard lock(registry.mutex);
  registry.loggers.clear();
  registry.first.reset();
}
inline void shutdown() {
  drop_all();
}

/// The threshold of all loggers, and of those that are created later.
inline void set_level(level::level_enum level) {
  compat::Registry::instance().set(&compat::Registry::level, level);
  default_logger_raw()->set_level(level);
  apply_all([level](const std::shared_ptr<logger>& each) { each->set_level(level); });
}
inline level::level_enum get_level() {
  return default_logger_raw()->level();
}
inline bool should_log(level::level_enum level) {
  return default_logger_raw()->should_log(level);
}

inline void set_pattern(const std::string& pattern,
                        pattern_time_type time = pattern_time_type::local) {
  compat::report_pattern();
  apply_all([&](const std::shared_ptr<logger>& each) { each->set_pattern(pattern, time); });
}
inline void set_formatter(std::unique_ptr<formatter> formatter) {
  apply_all([&](const std::shared_ptr<logger>& each) { each->set_formatter(formatter->clone()); });
}
/// For all loggers, and those that are created later.
inline void enable_backtrace(std::size_t messages) {
  compat::Registry::instance().set(&compat::Registry::backtrace_messages, messages);
  apply_all([=](const std::shared_ptr<logger>& each) { each->enable_backtrace(messages); });
}
inline void disable_backtrace() {
  compat::Registry::instance().set(&compat::Registry::backtrace_messages, std::size_t{0});
  apply_all([](const std::shared_ptr<logger>& each) { each->disable_backtrace(); });
}
/// Of the default logger.
inline void dump_backtrace() {
  default_logger_raw()->dump_backtrace();
}
inline void flush_on(level::level_enum level) {
  compat::Registry::instance().set(&compat::Registry::flush_level, level);
  apply_all([level](const std::shared_ptr<logger>& each) { each->flush_on(level); });
}
template <class Rep, class Period>
void flush_every(std::chrono::duration<Rep, Period> /*interval*/) {}
inline void set_error_handler(void (*handler)(const std::string&)) {
  compat::Registry::instance().set(&compat::Registry::on_error, err_handler(handler));
  default_logger_raw()->set_error_handler(handler);
  apply_all([handler](const std::shared_ptr<logger>& each) { each->set_error_handler(handler); });
}

/// Makes loggers, which are the same whatever the factory. As a template argument of functions.
struct synchronous_factory {
  template <class Sink, class... Arguments>
  static std::shared_ptr<logger> create(std::string name, Arguments&&... arguments) {
    return compat::create_logger<Sink>(std::move(name), std::forward<Arguments>(arguments)...);
  }
};

#define RS_SPDLOG_CREATE_VARIANT_(function_, sink_)                                       \
  template <class Factory = synchronous_factory, class... Arguments>                      \
  std::shared_ptr<logger> function_(std::string name, Arguments&&... arguments) {         \
    return Factory::template create<sinks::sink_>(std::move(name),                        \
                                                  std::forward<Arguments>(arguments)...); \
  }
#define RS_SPDLOG_CREATE_(function_, sink_)             \
  RS_SPDLOG_CREATE_VARIANT_(function_##_mt, sink_##_mt) \
  RS_SPDLOG_CREATE_VARIANT_(function_##_st, sink_##_st)
RS_SPDLOG_CREATE_(stdout_logger, stdout_sink)
RS_SPDLOG_CREATE_(stderr_logger, stderr_sink)
RS_SPDLOG_CREATE_(stdout_color, stdout_color_sink)
RS_SPDLOG_CREATE_(stderr_color, stderr_color_sink)
RS_SPDLOG_CREATE_(basic_logger, basic_file_sink)
RS_SPDLOG_CREATE_(rotating_logger, rotating_file_sink)
RS_SPDLOG_CREATE_(daily_logger, daily_file_sink)
RS_SPDLOG_CREATE_(hourly_logger, hourly_file_sink)
RS_SPDLOG_CREATE_(syslog_logger, syslog_sink)
RS_SPDLOG_CREATE_(udp_logger, udp_sink)
RS_SPDLOG_CREATE_(callback_logger, callback_sink)
RS_SPDLOG_CREATE_(null_logger, null_sink)
#undef RS_SPDLOG_CREATE_
#undef RS_SPDLOG_CREATE_VARIANT_
template <class Sink, class... Arguments>
std::shared_ptr<logger> create(std::string name, Arguments&&... arguments) {
  return compat::create_logger<Sink>(std::move(name), std::forward<Arguments>(arguments)...);
}

}  // namespace spdlog
