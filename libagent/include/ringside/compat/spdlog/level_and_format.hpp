#pragma once
// spdlog's levels, texts and places.

#if !__has_include(<fmt/format.h>)
#error \
    "<ringside/compat/spdlog.hpp> needs {fmt}: install libfmt-dev, and link fmt or define FMT_HEADER_ONLY"
#endif

#include <chrono>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

#include <fmt/format.h>
#include <ringside/compat/guarded_call.hpp>
#include <ringside/ringside.hpp>

#define SPDLOG_LEVEL_TRACE 0
#define SPDLOG_LEVEL_DEBUG 1
#define SPDLOG_LEVEL_INFO 2
#define SPDLOG_LEVEL_WARN 3
#define SPDLOG_LEVEL_ERROR 4
#define SPDLOG_LEVEL_CRITICAL 5
#define SPDLOG_LEVEL_OFF 6
#ifndef SPDLOG_ACTIVE_LEVEL
#define SPDLOG_ACTIVE_LEVEL SPDLOG_LEVEL_INFO
#endif
// The version whose interface this is.
#define SPDLOG_VER_MAJOR 1
#define SPDLOG_VER_MINOR 13
#define SPDLOG_VER_PATCH 0
#define SPDLOG_TO_VERSION(major, minor, patch) ((major)*10000 + (minor)*100 + (patch))
#define SPDLOG_VERSION SPDLOG_TO_VERSION(SPDLOG_VER_MAJOR, SPDLOG_VER_MINOR, SPDLOG_VER_PATCH)
#define SPDLOG_FUNCTION __FUNCTION__  // NOLINT(bugprone-lambda-function-name)
#define SPDLOG_FILENAME_T(s) s
#define SPDLOG_FMT_RUNTIME(format) fmt::runtime(format)
#define SPDLOG_FMT_STRING(format) FMT_STRING(format)
#define SPDLOG_NOEXCEPT noexcept
#define SPDLOG_API

/// spdlog's interface.
namespace spdlog {

namespace fmt_lib = fmt;
using string_view_t = fmt::string_view;
using memory_buf_t = fmt::memory_buffer;
using filename_t = std::string;
using log_clock = std::chrono::system_clock;
using err_handler = std::function<void(const std::string&)>;

/// spdlog's levels.
namespace level {
enum level_enum : int {
  trace = SPDLOG_LEVEL_TRACE,
  debug = SPDLOG_LEVEL_DEBUG,
  info = SPDLOG_LEVEL_INFO,
  warn = SPDLOG_LEVEL_WARN,
  err = SPDLOG_LEVEL_ERROR,
  critical = SPDLOG_LEVEL_CRITICAL,
  off = SPDLOG_LEVEL_OFF,
  n_levels
};

inline string_view_t to_string_view(level_enum level) {
  constexpr const char* kNames[] = {"trace", "debug",    "info", "warning",
                                    "error", "critical", "off"};
  return kNames[level];
}
inline const char* to_short_c_str(level_enum level) {
  constexpr const char* kNames[] = {"T", "D", "I", "W", "E", "C", "O"};
  return kNames[level];
}
inline level_enum from_str(const std::string& name) {
  for (int i = trace; i < n_levels; ++i) {
    const auto each = static_cast<level_enum>(i);
    if (name == std::string_view(to_string_view(each).data(), to_string_view(each).size())) {
      return each;
    }
  }
  if (name == "warn") return warn;
  return name == "err" ? err : off;
}
}  // namespace level

enum class color_mode { always, automatic, never };
enum class pattern_time_type { local, utc };

struct source_loc {
  constexpr source_loc() = default;
  constexpr source_loc(const char* file, int line_number, const char* function)
      : filename(file), line(line_number), funcname(function) {}
  constexpr bool empty() const { return line == 0; }
  const char* filename = nullptr;
  int line = 0;
  const char* funcname = nullptr;
};

struct spdlog_ex : std::runtime_error {
  using std::runtime_error::runtime_error;
};

namespace compat {

constexpr std::uint8_t level_of(level::level_enum level) {
  switch (level) {
    case level::trace:
      return RS_LEVEL_TRACE;
    case level::debug:
      return RS_LEVEL_DEBUG;
    case level::info:
      return RS_LEVEL_INFO;
    case level::warn:
      return RS_LEVEL_WARNING;
    case level::err:
      return RS_LEVEL_ERROR;
    default:
      return RS_LEVEL_CRITICAL;
  }
}

// The place of a call, as a default argument. Nothing converts to it.
struct Here {
  source_loc place;
  static constexpr Here now(const char* file = __builtin_FILE(), int line = __builtin_LINE(),
                            const char* function = __builtin_FUNCTION()) {
    return Here{{file, line, function}};
  }
};

template <class T>
struct Identity {
  using type = T;
};

using RuntimeFormat = decltype(fmt::runtime(string_view_t()));
template <class T>
inline constexpr bool is_text = std::is_convertible_v<const T&, string_view_t>;
template <class T>
inline constexpr bool is_format = is_text<T> || std::is_same_v<T, RuntimeFormat>;

template <class Format, class... Args>
string_view_t made_text(memory_buf_t& buffer, const Format& format, const Args&... args) {
  if constexpr (sizeof...(Args) == 0 && is_text<Format>) {
    return format;
  } else if constexpr (is_text<Format>) {
    fmt::vformat_to(fmt::appender(buffer), format, fmt::make_format_args(args...));
  } else if constexpr (std::is_same_v<Format, RuntimeFormat>) {
    fmt::vformat_to(fmt::appender(buffer), format.str, fmt::make_format_args(args...));
  } else {
    static_assert(sizeof...(Args) == 0, "the first argument is not a format");
    fmt::vformat_to(fmt::appender(buffer), "{}", fmt::make_format_args(format));
  }
  return {buffer.data(), buffer.size()};
}

// The text, or what is wrong with the format.
template <class... Args>
string_view_t text_of(memory_buf_t& buffer, const Args&... args) {
  string_view_t text;
  ringside::detail::call_guarded([&] { text = made_text(buffer, args...); },
                                 [&](const char* failure) {
                                   buffer.clear();
                                   fmt::format_to(fmt::appender(buffer), "[invalid format: {}]",
                                                  failure);
                                   text = {buffer.data(), buffer.size()};
                                 });
  return text;
}

// A format, checked at compile time with C++20, and the place of the call that converts to it.
template <class... Args>
struct PlacedFormat {
  fmt::format_string<Args...> format;
  source_loc place;

  template <class T, class = std::enable_if_t<is_text<T>>>
  FMT_CONSTEVAL PlacedFormat(const T& text, const char* file = __builtin_FILE(),
                             int line = __builtin_LINE(),
                             const char* function = __builtin_FUNCTION())
      : format(text), place(file, line, function) {}
  PlacedFormat(RuntimeFormat text, const char* file = __builtin_FILE(), int line = __builtin_LINE(),
               const char* function = __builtin_FUNCTION())
      : format(text), place(file, line, function) {}
};

}  // namespace compat

template <class... Args>
using format_string_t = compat::PlacedFormat<typename compat::Identity<Args>::type...>;

}  // namespace spdlog
