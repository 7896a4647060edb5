#pragma once
// Statements of quill whose arguments only {fmt} can format: the service writes the text. The
// headers that sources need for such arguments include this one.

#if !__has_include(<fmt/format.h>)
#error \
    "types with a formatter of their own need {fmt}: install libfmt-dev, and link fmt or define FMT_HEADER_ONLY"
#endif

#include <string>
#include <string_view>

#include <fmt/format.h>
#include <ringside/compat/guarded_call.hpp>
#include <ringside/text.hpp>

#include "statement.hpp"

// quill's name of {fmt}.
namespace fmtquill = fmt;

namespace quill {

/// How quill copies a type. Here the text is written at once.
template <class T>
struct DeferredFormatCodec {};
template <class T>
struct DirectFormatCodec {};
template <class T, class = void>
struct Codec {};

namespace compat {

// In {fmt}'s style: a name of quill's is that of the next argument.
inline std::string unnamed(std::string_view format) {
  std::string result;
  while (!format.empty()) {
    const bool is_double = format.size() > 1 && format[0] == format[1];
    const std::size_t taken = is_double && (format[0] == '{' || format[0] == '}') ? 2 : 1;
    result.append(format.substr(0, taken));
    const bool has_name =
        taken == 1 && format[0] == '{' && format.size() > 1 && starts_name(format[1]);
    format.remove_prefix(taken);
    if (has_name) format.remove_prefix(std::min(format.find_first_of(":}"), format.size()));
  }
  return result;
}

// The text, or what is wrong with the format.
template <class... Args>
std::string_view text_of(fmt::memory_buffer& buffer, std::string_view format, const Args&... args) {
  rs::call_guarded(
      [&] {
        fmt::vformat_to(fmt::appender(buffer), has_names(format) ? unnamed(format) : format,
                        fmt::make_format_args(args...));
      },
      [&](const char* failure) {
        buffer.clear();
        fmt::format_to(fmt::appender(buffer), "[invalid format: {}]", failure);
      });
  return {buffer.data(), buffer.size()};
}

template <>
struct Path<false> {
  template <class Call, class... Args>
  [[gnu::noinline]] static void record(rs_site* site, std::uint8_t state, const LoggerBase& logger,
                                       std::string_view format, std::string_view /*literal*/,
                                       const Args&... args) {
    fmt::memory_buffer buffer;
    Call::record(site, state, text_of(buffer, format, args...),
                 std::string_view(logger.get_logger_name()));
  }
};

// A text whose level, place or tags are known at run time.
template <class... Args>
void record_at(const LoggerBase* logger, LogLevel level, std::string_view category,
               const char* file, const char* function, int line, std::string_view format,
               const Args&... args) {
  if (!logger->should_log_statement(level) || level == LogLevel::None) return;
  std::uint8_t state = 0;
  rs_site* const site = rs::enabled_text_site(
      {file, function, category.data(), static_cast<std::uint32_t>(category.size()),
       static_cast<std::uint32_t>(line), level_of(level)},
      &state);
  if (site == nullptr) return;
  fmt::memory_buffer buffer;
  const std::string_view text = text_of(buffer, format, args...);
  rs::record_text(site, state, {text.data(), text.size()});
}

}  // namespace compat

}  // namespace quill

#undef RS_QUILL_MAKES_TEXT_
#define RS_QUILL_MAKES_TEXT_ true
