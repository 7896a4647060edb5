#pragma once
// Calls with formats that are only known at run time (runtime_format.hpp).

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "level_sites.hpp"
#include "runtime_statement.h"
#include "text.hpp"

// Names the last field of an unformatted record, after the source text of the arguments.
#define RS_FORMAT_FIELD_ ", RS_NAMED(\"format\", _)"

extern "C" {

// The `bytes` of a C string, which is measured within the limit of its conversion.
#define RS_VALUE_TERMINATED UINT64_MAX

// The statement for a format, and its handle; `unformatted` and 0 if there is none and none can be
// made. `unformatted`: the statement of the place, whose fields are those of the arguments and then
// `format`. `style`: of the format.
RS_EXPORT rs_site* rs_format_site(rs_site* unformatted, std::uint8_t style, const char* format,
                                  std::uint64_t format_bytes, std::int32_t* handle);

// Records a call that is switched on (`state`): `site` and `handle` are those of rs_format_site().
// The values have the types of the arguments; of one with more than eight bytes, `data` is the
// address.
RS_EXPORT void rs_record_formatted(rs_site* site, std::uint8_t state, std::int32_t handle,
                                   const rs_value* values, std::uint32_t count, const char* format,
                                   std::uint64_t format_bytes) __attribute__((cold));
}

namespace ringside::detail {

// After the arguments of a call.
struct NoMoreArguments {};

template <class Format, class... Args>
Arguments<TakenType<RS_STYLE_BRACE>::Of<Args>...> runtime_arguments_of(const Format& format,
                                                                       const Args&... args);

template <class T>
constexpr std::uint8_t runtime_type() {
  constexpr Argument argument = argument_of<T>();
  static_assert(
      natural_field(argument) != shm::FieldType::none &&
          argument.kind != ArgumentKind::wide_pointer,
      "a statement with a format of run time takes numbers, enumerations, pointers and texts");
  return shm::code(natural_field(argument));
}

template <class T>
[[gnu::always_inline]] inline rs_value runtime_value(const T& argument) {
  constexpr Argument kArgument = argument_of<T>();
  rs_value value{runtime_type<T>(), 0, 0, nullptr, 0};
  if constexpr (kArgument.kind == ArgumentKind::f80 || is_wide_int<T>) {
    value.data = &argument;
  } else if constexpr (std::is_floating_point_v<T>) {
    value.number = static_cast<double>(argument);
  } else if constexpr (kArgument.kind == ArgumentKind::text_pointer) {
    value.data = argument;
    value.bytes = RS_VALUE_TERMINATED;
  } else if constexpr (kArgument.kind == ArgumentKind::text ||
                       kArgument.kind == ArgumentKind::path) {
    const TextArgument text = text_of(argument);
    value.data = text.data();
    value.bytes = text.size();
  } else if constexpr (std::is_null_pointer_v<T>) {
    value.integer = 0;
  } else if constexpr (std::is_pointer_v<T>) {
    value.integer = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(argument));
  } else {
    value.integer = static_cast<std::int64_t>(argument);  // NOLINT(bugprone-signed-char-misuse)
  }
  return value;
}

// One call, from its format to its record.
class RuntimeCall {
 public:
  // Always true.
  bool find(rs_site* unformatted, std::uint8_t style, TextArgument format) {
    format_ = format;
    site_ = rs_format_site(unformatted, style, format.data(), format.size(), &handle_);
    return true;
  }
  rs_site* site() const { return site_; }
  void record(std::uint8_t state, const rs_value* values, std::uint32_t count) const {
    rs_record_formatted(site_, state, handle_, values, count, format_.data(), format_.size());
  }

 private:
  TextArgument format_{"", 0};
  rs_site* site_ = nullptr;
  std::int32_t handle_ = 0;
};

// "{n} {0} {1} ...": the format, which is the last field, and all arguments.
template <std::size_t kCount>
struct UnformattedText {
  char text[(kCount + 1) * 6 + 1] = {};
  constexpr UnformattedText() {
    std::size_t at = add(0, kCount);
    for (std::size_t i = 0; i < kCount; ++i) {
      text[at++] = ' ';
      at = add(at, i);
    }
  }

 private:
  constexpr std::size_t add(std::size_t at, std::size_t number) {
    text[at++] = '{';
    if (number >= 100) text[at++] = static_cast<char>('0' + number / 100);
    if (number >= 10) text[at++] = static_cast<char>('0' + number / 10 % 10);
    text[at++] = static_cast<char>('0' + number % 10);
    text[at++] = '}';
    return at;
  }
};

template <class Arguments>
struct RuntimeArgumentsOf;
template <class... Args>
struct RuntimeArgumentsOf<Arguments<Args...>> {
  static_assert(sizeof...(Args) < RS_MAX_FIELDS,
                "more than 254 arguments in a statement with a format of run time");

  [[gnu::visibility("hidden")]] static constexpr std::uint8_t types[] = {
      runtime_type<Args>()..., shm::code(shm::FieldType::string)};
  [[gnu::visibility("hidden")]] static constexpr rs_signature signature = {
      types, nullptr, static_cast<std::uint8_t>(sizeof...(Args) + 1), 0};
  [[gnu::visibility("hidden")]] static constexpr UnformattedText<sizeof...(Args)> unformatted{};

  template <class T>
  using Taken = std::conditional_t<std::is_scalar_v<T> || is_wide_int<T>, T, const T&>;

  // Always true.
  [[gnu::noinline, gnu::visibility("hidden")]] static bool record(const RuntimeCall& call,
                                                                  std::uint8_t state,
                                                                  Taken<Args>... args,
                                                                  NoMoreArguments /*end*/) {
    const rs_value values[] = {runtime_value<Args>(args)..., rs_value{}};
    call.record(state, values, sizeof...(Args));
    return true;
  }
};

#if defined(RINGSIDE_USDT)
// RuntimeArgumentsOf::record() with the statement's probe, which has its arguments.
template <class Text, class Call>
struct ProbedRuntimeCall;
template <class Text, class... Args>
struct ProbedRuntimeCall<Text, RuntimeArgumentsOf<Arguments<Args...>>> {
  using Call = RuntimeArgumentsOf<Arguments<Args...>>;
  [[gnu::always_inline]] static bool record(const RuntimeCall& call, std::uint8_t state,
                                            typename Call::template Taken<Args>... args,
                                            NoMoreArguments end) {
    probe<Text>(args...);
    return Call::record(call, state, args..., end);
  }
};
#endif

// The site's text, which depends on the number of arguments.
template <class Text, class Call>
struct UnformattedSite {
  static constexpr rs_site site(const rs_signature* types) {
    rs_site result = Text::site(types);
    result.format = Call::unformatted.text;
    return result;
  }
};
template <class Text, class Call>
using UnformattedSites = LevelSites<UnformattedSite<Text, Call>, Call, 0>;

}  // namespace ringside::detail
