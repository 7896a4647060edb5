#pragma once
// The statement of a span: what it is at compile time, and the values that are added later.

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "abi.h"
#include "event_signature.hpp"
#include "fixed_span_record.hpp"
#include "open_span.hpp"
#include "statement.hpp"
#include "typed_call.hpp"

namespace ringside::detail {

// The codes of a statement's fields, whatever the types of its arguments (typed_call.hpp).
template <class Call, class = void>
struct SpanCodes {
  template <class T>
  static constexpr unsigned code(std::size_t field) {
    return Call::code(field);
  }
  static constexpr std::size_t kFields = Call::kFields;

  // Bytes of the values of the fields from `first` on, at most.
  static constexpr std::size_t room(std::size_t first) {
    std::size_t bytes = 0;
    for (std::size_t i = first; i < kFields; ++i) bytes += span_value_bytes(field(i));
    return bytes;
  }
  static constexpr unsigned field(std::size_t i) { return Call::code(i); }
};
template <class Call>
struct SpanCodes<Call, std::void_t<typename Call::Plain>> : SpanCodes<typename Call::Plain> {};

// `T`: the type of an argument. Scalars by value, as in BoundCall.
template <class T>
using TakenBySpan = std::conditional_t<std::is_scalar_v<T> || is_wide_int<T>, T, const T&>;

// `Texts` and `Call`: as those of Site. `kIsCompiled`: false below RS_MIN_LEVEL. `kLaterRoom`:
// bytes for values that are added later. `kHasBegin`: the beginning is a record, too.
template <class Texts, class Call, class Arguments, bool kIsCompiled, std::size_t kLaterRoom,
          bool kHasBegin>
struct SpanStatement;
template <class Texts, class Call, class... Args, bool kIsCompiled, std::size_t kLaterRoom,
          bool kHasBegin>
struct SpanStatement<Texts, Call, Arguments<Args...>, kIsCompiled, kLaterRoom, kHasBegin> {
  using Text = Texts;
  using Codes = SpanCodes<Call>;
  using Taken = Arguments<Args...>;
  static constexpr bool kIsRecorded = kIsCompiled;
  static constexpr bool kIsOpen = kHasBegin;
  static constexpr std::size_t kSetRoom = kLaterRoom;
  static constexpr std::size_t kRoom = Codes::room(0) + kLaterRoom;
  static_assert(kRoom <= RS_SPAN_MOST_VALUE_BYTES, "the values of a span take too many bytes");
  static constexpr FixedSizes kSizes = kLaterRoom == 0 ? fixed_sizes<Codes>() : FixedSizes{false};

  [[gnu::always_inline]] static std::uint8_t state([[maybe_unused]] rs_site* site) {
    if constexpr (kIsCompiled) {
      return rs_site_enabled(site);
    } else {
      return 0;
    }
  }
  [[gnu::always_inline]] static Span<SpanStatement> open(rs_site* site, std::uint8_t state,
                                                         const char* /*name*/,
                                                         TakenBySpan<Args>... args) {
    return Span<SpanStatement>(SpanBegins{site, state}, args...);
  }
  [[gnu::always_inline]] static Span<SpanStatement> none() { return {}; }
};

// "FIRST, SECOND": the source texts of two argument lists.
template <class First, class Second>
struct JoinedTexts {
  static constexpr std::size_t kFirst = __builtin_strlen(First::site(nullptr).arguments);
  static constexpr std::size_t kSecond = __builtin_strlen(Second::text());
  struct Text {
    char characters[kFirst + kSecond + 3];
  };
  static constexpr Text join() {
    Text result{};
    char* out = result.characters;
    const char* const first = First::site(nullptr).arguments;
    for (std::size_t i = 0; i < kFirst; ++i) *out++ = first[i];
    *out++ = ',';
    *out++ = ' ';
    for (std::size_t i = 0; i < kSecond; ++i) *out++ = Second::text()[i];
    return result;
  }
  [[gnu::visibility("hidden")]] static constexpr Text text = join();
};

template <class First, class Second>
struct JoinedArguments;
template <class... First, class... Second>
struct JoinedArguments<Arguments<First...>, Arguments<Second...>> {
  using type = Arguments<First..., Second...>;
};

// The statement with the values of the beginning and those of an RS_SPAN_SET: it has the name and
// place of the span. Entered into the dictionary when it is first used.
template <class Statement, class Added, class AddedText>
struct SpanSetting;
template <class Statement, class... Args, class AddedText>
struct SpanSetting<Statement, Arguments<Args...>, AddedText> {
  using All = typename JoinedArguments<typename Statement::Taken, Arguments<Args...>>::type;
  using Joined = JoinedTexts<typename Statement::Text, AddedText>;
  static constexpr Signature signature = All::event("set", Joined::text.characters);
  using Check = typename StatementCheck<RS_STYLE_NONE, signature.fault(), All>::type;
  static_assert(Check::kIsAccepted, "Ringside refuses values for this span");
  using SetCall =
      Call<Check::kIsAccepted, signature.codes[0], signature.codes[1], signature.codes[2],
           signature.codes[3], signature.needs_itself() ? &signature : nullptr,
           std::conditional_t<signature.has_types, All, void>>;
  using Codes = SpanCodes<SetCall>;
  static_assert(Codes::room(Statement::Codes::kFields) <= Statement::kSetRoom,
                "RS_SPAN_SET takes values of up to 256 bytes, for spans of RS_NAMED_SPAN or "
                "RS_NAMED_OPEN_SPAN");
  struct Text {
    static constexpr rs_site site(const rs_signature* types) {
      rs_site result = Statement::Text::site(types);
      result.arguments = Joined::text.characters;
      result.flags = static_cast<std::uint8_t>(result.flags | RS_SITE_ON_FIRST_USE);
      return result;
    }
  };
  using Sites = Site<Text, SetCall>;

  [[gnu::always_inline]] static void set(Span<Statement>& span, TakenBySpan<Args>... args) {
    span.template set<Codes>(&Sites::site, args...);
  }
};

}  // namespace ringside::detail
