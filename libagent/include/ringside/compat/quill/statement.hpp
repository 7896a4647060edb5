#pragma once
// One statement of a macro of quill.

#include <string_view>

#include <ringside/compat/adapted_statement.hpp>

#include "logger.hpp"

namespace quill::compat {

namespace rs = ringside::detail;

// Only for decltype.
template <class... Args>
rs::Arguments<typename rs::TakenType<RS_STYLE_BRACE>::template Of<Args>...> arguments_of(
    std::string_view format, const Args&... args);

constexpr std::uint8_t level_of(LogLevel level) {
  switch (level) {
    case LogLevel::Debug:
      return RS_LEVEL_DEBUG;
    case LogLevel::Info:
      return RS_LEVEL_INFO;
    case LogLevel::Notice:
      return RS_LEVEL_NOTICE;
    case LogLevel::Warning:
      return RS_LEVEL_WARNING;
    case LogLevel::Error:
      return RS_LEVEL_ERROR;
    case LogLevel::Critical:
      return RS_LEVEL_CRITICAL;
    default:
      return RS_LEVEL_TRACE;
  }
}

// A function: the compiler warns of a comparison that is always true.
constexpr bool is_compiled(LogLevel level, int lowest) {
  return lowest <= static_cast<int>(level);
}

constexpr bool starts_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// The placeholders of a format in their order. Of quill's, a name is that of the next argument.
class Placeholders {
 public:
  explicit constexpr Placeholders(std::string_view format) : rest_(format) {}
  // The next name, empty for a placeholder without one; false after the last.
  constexpr bool next(std::string_view* name) {
    while (!rest_.empty()) {
      const bool is_double = rest_.size() > 1 && rest_[0] == rest_[1];
      if (rest_[0] != '{' || is_double) {
        rest_.remove_prefix(rest_[0] == '{' || (rest_[0] == '}' && is_double) ? 2 : 1);
        continue;
      }
      rest_.remove_prefix(1);
      const bool has_name = !rest_.empty() && starts_name(rest_[0]);
      *name = has_name ? rest_.substr(0, rest_.find_first_of(":}")) : std::string_view();
      const std::size_t end = rest_.find('}');
      rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
      return true;
    }
    return false;
  }

 private:
  std::string_view rest_;
};

constexpr bool has_names(std::string_view format) {
  Placeholders placeholders(format);
  for (std::string_view name; placeholders.next(&name);) {
    if (!name.empty()) return true;
  }
  return false;
}

// Text of arguments that names the fields by the placeholders.
template <std::size_t kBytes>
struct Names {
  char text[kBytes] = {};
  std::size_t size = 0;
  std::size_t arguments_size = 0;
  constexpr void add(std::string_view part) {
    for (const char c : part) {
      if (size + 1 < kBytes) text[size++] = c;
    }
  }
  constexpr Names(std::string_view format, std::string_view extra) {
    if (kBytes == 1) return;
    add("_");
    Placeholders placeholders(format);
    for (std::string_view name; placeholders.next(&name);) {
      add(name.empty() ? ", _" : ", RS_NAMED(\"");
      if (name.empty()) continue;
      add(name);
      add("\", _)");
    }
    arguments_size = size;
    add(extra);
  }
  // Without the extra fields.
  constexpr std::string_view of_arguments() const { return {text, arguments_size}; }
};
// A placeholder of n + 2 bytes makes n + 17.
constexpr std::size_t names_bytes(std::string_view format, std::size_t extra) {
  return has_names(format) ? format.size() * 8 + extra + 2 : 1;
}

// Whether quill writes a value as Ringside's tools do: not durations, for instance.
template <class T>
inline constexpr bool is_plain_type =
    std::is_arithmetic_v<T> || std::is_enum_v<T> || std::is_pointer_v<T> ||
    std::is_null_pointer_v<T> || rs::is_wide_int<T> || rs::is_text<T> || rs::is_path<T>;
template <class Arguments>
inline constexpr bool are_plain_types = false;
template <class... Args>
inline constexpr bool are_plain_types<rs::Arguments<Args...>> = (is_plain_type<Args> && ...);

// With `extra` more fields of text.
template <class Arguments>
constexpr rs::Signature signature(std::string_view format, std::string_view names, int extra) {
  rs::Signature result = Arguments::brace(format, names);
  // Enumerations are recorded as numbers; arrays and types with parts are not.
  bool is_plain = result.count == Arguments::kCount && are_plain_types<Arguments>;
  for (std::size_t i = 0; i < result.count; ++i) {
    const auto type = rs::field_type(result.code(i));
    is_plain =
        is_plain && !ringside::shm::is_array(type) && type != ringside::shm::FieldType::bytes;
  }
  if (result.mismatch == rs::Mismatch::none && !is_plain) {
    result.mismatch = rs::Mismatch::needs_support;
  }
  for (; extra > 0 && result.mismatch == rs::Mismatch::none; --extra) {
    if (result.count == RS_MAX_FIELDS) {
      result.mismatch = rs::Mismatch::too_many_fields;
    } else {
      result.add(ringside::shm::FieldType::string, false, 0);
    }
  }
  return result;
}

// Whether a statement's text is made by the service, if it can be: not if an argument is missing.
constexpr bool is_text(rs::Mismatch mismatch, bool can_be) {
  return can_be && mismatch != rs::Mismatch::none && mismatch != rs::Mismatch::too_few_arguments;
}

// The text and the logger's name.
constexpr rs::Signature text_signature() {
  rs::Signature result;
  result.add(ringside::shm::FieldType::string, false, 0);
  result.add(ringside::shm::FieldType::string, false, 0);
  return result;
}

// Records the arguments as they are. The other path is in formatted_text.hpp.
template <bool kIsPlain>
struct Path;
template <>
struct Path<true> {
  template <class Call, class... Args>
  [[gnu::always_inline]] static void record(rs_site* site, std::uint8_t state,
                                            const LoggerBase& logger, std::string_view /*format*/,
                                            std::string_view /*literal*/, const Args&... args) {
    Call::record(site, state, args..., std::string_view(logger.get_logger_name()));
  }
};

}  // namespace quill::compat

// Whether {fmt} can write texts: redefined where it can.
#define RS_QUILL_MAKES_TEXT_ false
#define RS_QUILL_LOGGER_FIELD_ ", RS_NAMED(\"logger\", _)"

// `format_`: a constant expression; the arguments: a format that is not used, then the values.
#define RS_QUILL_STATEMENT_(quill_level_, logger_, format_, arguments_, ...)                       \
  do {                                                                                             \
    constexpr ::quill::LogLevel rs_level_ = ::quill::LogLevel::quill_level_;                       \
    if constexpr (::quill::compat::is_compiled(rs_level_, QUILL_COMPILE_ACTIVE_LOG_LEVEL) &&       \
                  RS_IS_COMPILED_(::quill::compat::level_of(rs_level_))) {                         \
      const auto& rs_logger_ = (logger_);                                                          \
      if (!rs_logger_->template should_log_statement<rs_level_>()) break;                          \
      using RsArguments = decltype(::quill::compat::arguments_of(__VA_ARGS__));                    \
      static constexpr const char* rs_format_ = format_;                                           \
      static constexpr ::quill::compat::Names<::quill::compat::names_bytes(                        \
          rs_format_, sizeof RS_QUILL_LOGGER_FIELD_)>                                              \
          rs_own_names_(rs_format_, RS_QUILL_LOGGER_FIELD_);                                       \
      static constexpr bool rs_is_named_ = ::quill::compat::has_names(rs_format_);                 \
      static constexpr ::ringside::detail::Signature rs_plain_ =                                   \
          ::quill::compat::signature<RsArguments>(                                                 \
              rs_format_,                                                                          \
              rs_is_named_ ? rs_own_names_.of_arguments() : std::string_view(arguments_), 1);      \
      static constexpr bool rs_is_text_ =                                                          \
          ::quill::compat::is_text(rs_plain_.mismatch, RS_QUILL_MAKES_TEXT_);                      \
      static constexpr ::ringside::detail::Signature rs_signature_ =                               \
          rs_is_text_ ? ::quill::compat::text_signature() : rs_plain_;                             \
      static constexpr const char* rs_names_ = rs_is_text_ ? "\"{}\", text" RS_QUILL_LOGGER_FIELD_ \
                                               : rs_is_named_ ? rs_own_names_.text                 \
                                                              : arguments_ RS_QUILL_LOGGER_FIELD_; \
      using RsCheck =                                                                              \
          typename ::ringside::detail::StatementCheck<RS_STYLE_BRACE, rs_signature_.fault(),       \
                                                      RsArguments>::type;                          \
      static_assert(RsCheck::kIsAccepted, "Ringside refuses (" arguments_ ")");                    \
      RS_ADAPTED_SITE_(::quill::compat::level_of(rs_level_), rs_is_text_ ? "{}" : rs_format_,      \
                       rs_names_);                                                                 \
      if (const std::uint8_t rs_state_ = rs_site_enabled(&RsSite::site)) {                         \
        RS_PROBE_WITHOUT_ARGUMENTS_                                                                \
        ::quill::compat::Path<!rs_is_text_>::template record<RsCall>(                              \
            &RsSite::site, rs_state_, *rs_logger_, rs_format_, __VA_ARGS__);                       \
      }                                                                                            \
    }                                                                                              \
  } while (0)
