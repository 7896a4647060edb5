#pragma once
/// @file
/// Sources written for spdlog, recorded by Ringside.
///
/// Replace the headers of spdlog by this one. The SPDLOG_ macros are statements of Ringside: they
/// check the format at compile time, copy the arguments, and format nothing. Arguments that only
/// {fmt} can format, and formats that are made at run time, take the slow path: the service formats
/// the text, which costs what it costs with spdlog, and the record has the field `text`. So do the
/// functions (spdlog::info, logger->info): one function cannot be one statement for each call.
/// Their records have the place of the call all the same. A logger's name is the field `logger` of
/// the macros' records, and the category of the functions'. What Ringside cannot do is reported on
/// standard error, once. docs/migration/spdlog.md lists the differences. Needs {fmt}.

#ifdef SPDLOG_H
#error \
    "include either spdlog's headers or <ringside/compat/spdlog.hpp>, not both; <ringside/compat/spdlog_sink.hpp> is a sink for spdlog"
#endif
#define SPDLOG_H

#include <tuple>

#include "spdlog/registry.hpp"
#include "spdlog/statement.hpp"

namespace spdlog {

namespace compat {
// What is recorded besides the arguments.
template <bool kHasLogger>
auto extra(const logger& from) {
  if constexpr (kHasLogger) {
    return std::tuple<std::string_view>(from.name());
  } else {
    return std::tuple<>();
  }
}
}  // namespace compat

template <class... Args>
void log(source_loc place, level::level_enum level, format_string_t<Args...> format,
         Args&&... args) {
  default_logger_raw()->log(place, level, format, std::forward<Args>(args)...);
}
template <class... Args>
void log(level::level_enum level, format_string_t<Args...> format, Args&&... args) {
  default_logger_raw()->log(level, format, std::forward<Args>(args)...);
}
template <class T>
void log(source_loc place, level::level_enum level, const T& message) {
  default_logger_raw()->log(place, level, message);
}
template <class T>
void log(level::level_enum level, const T& message, compat::Here here = compat::Here::now()) {
  default_logger_raw()->log(here.place, level, message);
}

#define RS_SPDLOG_FUNCTION_(function_)                                        \
  template <class... Args>                                                    \
  void function_(format_string_t<Args...> format, Args&&... args) {           \
    default_logger_raw()->function_(format, std::forward<Args>(args)...);     \
  }                                                                           \
  template <class T>                                                          \
  void function_(const T& message, compat::Here here = compat::Here::now()) { \
    default_logger_raw()->function_(message, here);                           \
  }
RS_SPDLOG_FUNCTION_(trace)
RS_SPDLOG_FUNCTION_(debug)
RS_SPDLOG_FUNCTION_(info)
RS_SPDLOG_FUNCTION_(warn)
RS_SPDLOG_FUNCTION_(error)
RS_SPDLOG_FUNCTION_(critical)
#undef RS_SPDLOG_FUNCTION_

}  // namespace spdlog

// With a level known at run time: the slow path.
#define SPDLOG_LOGGER_CALL(logger, level, ...) \
  (logger)->log(spdlog::source_loc{__FILE__, __LINE__, SPDLOG_FUNCTION}, level, __VA_ARGS__)

#if SPDLOG_ACTIVE_LEVEL <= SPDLOG_LEVEL_TRACE
#define SPDLOG_LOGGER_TRACE(logger, ...) \
  RS_SPDLOG_LOGGER_(logger, ::spdlog::level::trace, #__VA_ARGS__, __VA_ARGS__)
#define SPDLOG_TRACE(...) RS_SPDLOG_DEFAULT_(::spdlog::level::trace, #__VA_ARGS__, __VA_ARGS__)
#else
#define SPDLOG_LOGGER_TRACE(logger, ...) (void)0
#define SPDLOG_TRACE(...) (void)0
#endif

#if SPDLOG_ACTIVE_LEVEL <= SPDLOG_LEVEL_DEBUG
#define SPDLOG_LOGGER_DEBUG(logger, ...) \
  RS_SPDLOG_LOGGER_(logger, ::spdlog::level::debug, #__VA_ARGS__, __VA_ARGS__)
#define SPDLOG_DEBUG(...) RS_SPDLOG_DEFAULT_(::spdlog::level::debug, #__VA_ARGS__, __VA_ARGS__)
#else
#define SPDLOG_LOGGER_DEBUG(logger, ...) (void)0
#define SPDLOG_DEBUG(...) (void)0
#endif

#if SPDLOG_ACTIVE_LEVEL <= SPDLOG_LEVEL_INFO
#define SPDLOG_LOGGER_INFO(logger, ...) \
  RS_SPDLOG_LOGGER_(logger, ::spdlog::level::info, #__VA_ARGS__, __VA_ARGS__)
#define SPDLOG_INFO(...) RS_SPDLOG_DEFAULT_(::spdlog::level::info, #__VA_ARGS__, __VA_ARGS__)
#else
#define SPDLOG_LOGGER_INFO(logger, ...) (void)0
#define SPDLOG_INFO(...) (void)0
#endif

#if SPDLOG_ACTIVE_LEVEL <= SPDLOG_LEVEL_WARN
#define SPDLOG_LOGGER_WARN(logger, ...) \
  RS_SPDLOG_LOGGER_(logger, ::spdlog::level::warn, #__VA_ARGS__, __VA_ARGS__)
#define SPDLOG_WARN(...) RS_SPDLOG_DEFAULT_(::spdlog::level::warn, #__VA_ARGS__, __VA_ARGS__)
#else
#define SPDLOG_LOGGER_WARN(logger, ...) (void)0
#define SPDLOG_WARN(...) (void)0
#endif

#if SPDLOG_ACTIVE_LEVEL <= SPDLOG_LEVEL_ERROR
#define SPDLOG_LOGGER_ERROR(logger, ...) \
  RS_SPDLOG_LOGGER_(logger, ::spdlog::level::err, #__VA_ARGS__, __VA_ARGS__)
#define SPDLOG_ERROR(...) RS_SPDLOG_DEFAULT_(::spdlog::level::err, #__VA_ARGS__, __VA_ARGS__)
#else
#define SPDLOG_LOGGER_ERROR(logger, ...) (void)0
#define SPDLOG_ERROR(...) (void)0
#endif

#if SPDLOG_ACTIVE_LEVEL <= SPDLOG_LEVEL_CRITICAL
#define SPDLOG_LOGGER_CRITICAL(logger, ...) \
  RS_SPDLOG_LOGGER_(logger, ::spdlog::level::critical, #__VA_ARGS__, __VA_ARGS__)
#define SPDLOG_CRITICAL(...) \
  RS_SPDLOG_DEFAULT_(::spdlog::level::critical, #__VA_ARGS__, __VA_ARGS__)
#else
#define SPDLOG_LOGGER_CRITICAL(logger, ...) (void)0
#define SPDLOG_CRITICAL(...) (void)0
#endif
