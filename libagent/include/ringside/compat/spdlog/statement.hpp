#pragma once
// One statement of an SPDLOG_ macro: the arguments are recorded as they are, if Ringside can do
// that; otherwise the text that {fmt} makes of them.

#include <ringside/compat/adapted_statement.hpp>

#include "level_and_format.hpp"

namespace spdlog::compat {

namespace rs = ringside::detail;

// The types of the arguments after the format.
template <class Format, class... Args>
rs::Arguments<typename rs::TakenType<RS_STYLE_BRACE>::template Of<Args>...> arguments_of(
    const Format& format, const Args&... args);

// The format if it is known at compile time: with __builtin_constant_p around it.
constexpr const char* known_format(const char* format) {
  return format;
}
template <class Format>
constexpr const char* known_format(const Format& /*format*/) {
  return nullptr;
}

// What the fast path records; with a mismatch if the slow one must be taken.
template <class Arguments>
constexpr rs::Signature fast_signature(const char* format, std::string_view texts,
                                       bool has_logger) {
  rs::Signature slow;
  slow.mismatch = rs::Mismatch::needs_support;
  if (format == nullptr) return slow;
  const std::string_view text = format;
  // spdlog does not interpret a text without arguments.
  if (Arguments::kCount == 0 && text.find_first_of("{}") != std::string_view::npos) return slow;
  rs::Signature fast = Arguments::brace(text, texts);
  // {fmt} may show enumerations and types with parts differently.
  if (fast.mismatch == rs::Mismatch::none && fast.has_types) return slow;
  if (fast.mismatch != rs::Mismatch::none || !has_logger) return fast;
  if (fast.count == RS_MAX_FIELDS) return slow;
  fast.add(ringside::shm::FieldType::string, false, 0);
  return fast;
}

constexpr rs::Signature slow_signature(bool has_logger) {
  rs::Signature slow;
  slow.add(ringside::shm::FieldType::string, false, 0);
  if (has_logger) slow.add(ringside::shm::FieldType::string, false, 0);
  return slow;
}

// `extra`: nothing, or the logger's name.
template <bool kIsFast>
struct Path {
  template <class Call, class Format, class... Args, class... Extra>
  [[gnu::always_inline]] static void record(rs_site* site, std::uint8_t state,
                                            const std::tuple<Extra...>& extra,
                                            const Format& /*format*/, const Args&... args) {
    Call::record(site, state, args..., std::get<Extra>(extra)...);
  }
};
template <>
struct Path<false> {
  template <class Call, class Format, class... Args, class... Extra>
  [[gnu::noinline]] static void record(rs_site* site, std::uint8_t state,
                                       const std::tuple<Extra...>& extra, const Format& format,
                                       const Args&... args) {
    memory_buf_t buffer;
    const string_view_t text = text_of(buffer, format, args...);
    Call::record(site, state, std::string_view(text.data(), text.size()),
                 std::get<Extra>(extra)...);
  }
};

}  // namespace spdlog::compat

// `has_logger_`: whether the logger's name is recorded too; `logger_field_`: then the field's name.
#define RS_SPDLOG_STATEMENT_(logger_, spdlog_level_, has_logger_, logger_field_, arguments_, ...) \
  do {                                                                                            \
    const auto& rs_logger_ = (logger_);                                                           \
    if (!rs_logger_->is_recorded_only(spdlog_level_)) {                                           \
      if (!rs_logger_->is_observed() ||                                                           \
          !rs_logger_->observe({__FILE__, __LINE__, SPDLOG_FUNCTION}, spdlog_level_,              \
                               __VA_ARGS__)) {                                                    \
        break;                                                                                    \
      }                                                                                           \
    }                                                                                             \
    using RsArguments = decltype(::spdlog::compat::arguments_of(__VA_ARGS__));                    \
    static constexpr const char* rs_known_ =                                                      \
        __builtin_constant_p(::spdlog::compat::known_format(RS_FIRST_(__VA_ARGS__, )))            \
            ? ::spdlog::compat::known_format(RS_FIRST_(__VA_ARGS__, ))                            \
            : nullptr;                                                                            \
    static constexpr ::ringside::detail::Signature rs_fast_ =                                     \
        ::spdlog::compat::fast_signature<RsArguments>(rs_known_, arguments_, has_logger_);        \
    static constexpr bool rs_is_fast_ = rs_fast_.mismatch == ::ringside::detail::Mismatch::none;  \
    static_assert(rs_fast_.mismatch != ::ringside::detail::Mismatch::too_few_arguments,           \
                  "Ringside refuses the statement (" arguments_                                   \
                  "): a placeholder has no argument");                                            \
    static constexpr ::ringside::detail::Signature rs_signature_ =                                \
        rs_is_fast_ ? rs_fast_ : ::spdlog::compat::slow_signature(has_logger_);                   \
    if constexpr (RS_IS_COMPILED_(::spdlog::compat::level_of(spdlog_level_))) {                   \
      RS_ADAPTED_SITE_(::spdlog::compat::level_of(spdlog_level_), rs_is_fast_ ? rs_known_ : "{}", \
                       rs_is_fast_ ? arguments_ logger_field_ : "\"{}\", text" logger_field_);    \
      if (const std::uint8_t rs_state_ = rs_site_enabled(&RsSite::site)) {                        \
        RS_PROBE_WITHOUT_ARGUMENTS_                                                               \
        ::spdlog::compat::Path<rs_is_fast_>::template record<RsCall>(                             \
            &RsSite::site, rs_state_, ::spdlog::compat::extra<has_logger_>(*rs_logger_),          \
            __VA_ARGS__);                                                                         \
      }                                                                                           \
    }                                                                                             \
  } while (0)
#define RS_SPDLOG_LOGGER_(logger_, level_, arguments_, ...) \
  RS_SPDLOG_STATEMENT_(logger_, level_, true, ", RS_NAMED(\"logger\", _)", arguments_, __VA_ARGS__)
#define RS_SPDLOG_DEFAULT_(level_, arguments_, ...) \
  RS_SPDLOG_STATEMENT_(::spdlog::default_logger_raw(), level_, false, "", arguments_, __VA_ARGS__)
