/* The name of quill's header, for sources that stay unchanged. */
#pragma once
// quill's functions: the service writes the text, and the record has the place of the call. The
// tags, or else the logger's name, are the category.

#include <ringside/compat/quill.hpp>
#include <ringside/compat/quill/formatted_text.hpp>

namespace quill {

class Tags {
 public:
  Tags() = default;
  template <class... More>
  explicit Tags(std::string_view first, const More&... more) : text_(first) {
    ((text_ += ' ', text_ += std::string_view(more)), ...);
  }
  std::string_view text() const { return text_; }

 private:
  std::string text_;
};

namespace compat {

// A format, and the place of the call that converts to it.
struct PlacedFormat {
  template <class T, class = std::enable_if_t<std::is_convertible_v<const T&, std::string_view>>>
  constexpr PlacedFormat(const T& given, const char* in = __builtin_FILE(),
                         const char* of = __builtin_FUNCTION(), int at = __builtin_LINE())
      : text(given), file(in), function(of), line(at) {}
  std::string_view text;
  const char* file;
  const char* function;
  int line;
};

}  // namespace compat

template <class... Args>
void log(LoggerBase* logger, LogLevel level, compat::PlacedFormat format, const Args&... args) {
  compat::record_at(logger, level, logger->get_logger_name(), format.file, format.function,
                    format.line, format.text, args...);
}
template <class... Args>
void log(LoggerBase* logger, const Tags& tags, LogLevel level, compat::PlacedFormat format,
         const Args&... args) {
  compat::record_at(logger, level, tags.text(), format.file, format.function, format.line,
                    format.text, args...);
}

#define RS_QUILL_FUNCTION_(function_, level_)                                            \
  template <class... Args>                                                               \
  void function_(LoggerBase* logger, compat::PlacedFormat format, const Args&... args) { \
    log(logger, LogLevel::level_, format, args...);                                      \
  }                                                                                      \
  template <class... Args>                                                               \
  void function_(LoggerBase* logger, const Tags& tags, compat::PlacedFormat format,      \
                 const Args&... args) {                                                  \
    log(logger, tags, LogLevel::level_, format, args...);                                \
  }
RS_QUILL_FUNCTION_(tracel3, TraceL3)
RS_QUILL_FUNCTION_(tracel2, TraceL2)
RS_QUILL_FUNCTION_(tracel1, TraceL1)
RS_QUILL_FUNCTION_(debug, Debug)
RS_QUILL_FUNCTION_(info, Info)
RS_QUILL_FUNCTION_(notice, Notice)
RS_QUILL_FUNCTION_(warning, Warning)
RS_QUILL_FUNCTION_(error, Error)
RS_QUILL_FUNCTION_(critical, Critical)
RS_QUILL_FUNCTION_(backtrace, Backtrace)
#undef RS_QUILL_FUNCTION_

}  // namespace quill
