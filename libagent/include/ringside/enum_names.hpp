#pragma once
// The names of an enumeration's values, found out at compile time from the text that the compiler
// has for a function with these values as template arguments.

#include "required_platform.h"
// Before all others.
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "abi.h"

namespace ringside {

/// Which values of an enumeration get names: those between `min` and `max`, at most 1024, and all
/// powers of two above.
///
/// Specialise it for an enumeration with other values, before the first statement that records it:
///
///     template <>
///     struct ringside::EnumRange<Status> {
///       static constexpr int min = 200;
///       static constexpr int max = 599;
///     };
template <class Enum>
struct EnumRange {
  static constexpr int min = -8;   ///< the first value
  static constexpr int max = 127;  ///< the last value
};

namespace detail {

// Hundreds of values in one function cost the compiler less than one instantiation for each value.
template <class E, E... kValues>
constexpr const char* enumerators_text() {
  return __PRETTY_FUNCTION__;
}

template <class E>
struct EnumCandidates {
  using Underlying = std::underlying_type_t<E>;
  static constexpr bool kIsSigned = static_cast<Underlying>(-1) < static_cast<Underlying>(0);
  static constexpr std::int64_t kLargest =
      std::is_same_v<Underlying, bool>
          ? 1
          : (sizeof(Underlying) == 8
                 ? INT64_MAX
                 : (std::int64_t{1} << (sizeof(Underlying) * 8 - (kIsSigned ? 1 : 0))) - 1);
  static constexpr std::int64_t kSmallest = kIsSigned ? -kLargest - 1 : 0;
  static constexpr std::int64_t kMin =
      EnumRange<E>::min < kSmallest ? kSmallest : EnumRange<E>::min;
  static constexpr std::int64_t kMax = EnumRange<E>::max > kLargest ? kLargest : EnumRange<E>::max;
  static_assert(kMin <= kMax && kMax - kMin < 1024,
                "ringside::EnumRange must have between 1 and 1024 values");
  static constexpr std::size_t kInRange = static_cast<std::size_t>(kMax - kMin + 1);

  static constexpr unsigned kBits = std::is_same_v<Underlying, bool> ? 1
                                    : kIsSigned                      ? sizeof(Underlying) * 8 - 1
                                                                     : sizeof(Underlying) * 8;
  static constexpr unsigned first_bit() {
    unsigned bit = 0;
    while (bit < 63 && (std::int64_t{1} << bit) <= kMax) ++bit;
    return bit;
  }
  static constexpr std::size_t kPowers =
      first_bit() < (kBits < 63 ? kBits : 63) ? (kBits < 63 ? kBits : 63) - first_bit() : 0;
  static constexpr std::size_t kCount = kInRange + kPowers;

  static constexpr std::int64_t value(std::size_t index) {
    return index < kInRange ? kMin + static_cast<std::int64_t>(index)
                            : std::int64_t{1} << (first_bit() + (index - kInRange));
  }
  template <std::size_t... I>
  static constexpr const char* text(std::index_sequence<I...> /*indexes*/) {
    return enumerators_text<E, static_cast<E>(value(I))...>();
  }
};

// Reads `... kValues = {ns::E::one, (ns::E)2, ns::E::three}]`, or with <> instead of {}.
class EnumeratorText {
 public:
  constexpr explicit EnumeratorText(const char* text) : at_(text) {
    // The values are in the last list: names before it may have brackets too.
    while (*at_ != '\0' && !starts_list()) ++at_;
    if (*at_ != '\0') at_ += sizeof kStart;
  }

  // The next value's name, [begin, end); empty if it has none. False at the end.
  constexpr bool next(const char*& begin, const char*& end) {
    if (*at_ == '\0' || *at_ == ']') return false;
    int depth = 0;
    const char* const item = at_;
    for (; *at_ != '\0'; ++at_) {
      const char c = *at_;
      const bool closes = c == ')' || c == '}' || c == '>' || c == ']';
      if (depth == 0 && (c == ',' || closes)) break;
      if (c == '(' || c == '{' || c == '<' || c == '[') ++depth;
      if (closes) --depth;
    }
    end = at_;
    begin = end;
    while (begin > item && is_part(begin[-1])) --begin;
    const bool is_number = begin == end || (*begin >= '0' && *begin <= '9');
    if (is_number) begin = end;
    if (*at_ == ',') {
      at_ += 2;
    } else if (*at_ != '\0') {
      ++at_;
    }
    return true;
  }

 private:
  static constexpr char kStart[] = "kValues = ";

  // Followed by { of g++, < of clang.
  constexpr bool starts_list() const {
    for (std::size_t i = 0; i + 1 < sizeof kStart; ++i) {
      if (at_[i] != kStart[i]) return false;
    }
    return true;
  }
  static constexpr bool is_part(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$' || static_cast<unsigned char>(c) >= 0x80;
  }

  const char* at_;
};

// The enumerators of `E`, read from the compiler's text.
template <class E>
struct FoundEnumerators {
  using Candidates = EnumCandidates<E>;
  static constexpr const char* kText =
      Candidates::text(std::make_index_sequence<Candidates::kCount>());

  struct Size {
    std::size_t names = 0;
    std::size_t bytes = 0;
  };
  static constexpr Size measure() {
    Size size;
    EnumeratorText text(kText);
    const char* begin = nullptr;
    const char* end = nullptr;
    while (text.next(begin, end)) {
      if (begin == end) continue;
      ++size.names;
      size.bytes += static_cast<std::size_t>(end - begin) + 1;
    }
    return size;
  }
  static constexpr Size kSize = measure();

  struct List {
    std::int64_t values[kSize.names + 1] = {};
    char names[kSize.bytes + 1] = {};
  };
  static constexpr List read() {
    List list;
    EnumeratorText text(kText);
    const char* begin = nullptr;
    const char* end = nullptr;
    std::size_t at = 0;
    std::size_t found = 0;
    for (std::size_t i = 0; text.next(begin, end); ++i) {
      if (begin == end || i >= Candidates::kCount) continue;
      list.values[found++] = Candidates::value(i);
      for (; begin != end; ++begin) list.names[at++] = *begin;
      list.names[at++] = '\0';
    }
    return list;
  }
  [[gnu::visibility("hidden")]] static constexpr List kList = read();
  static constexpr const std::int64_t* values() { return kList.values; }
  static constexpr const char* names() { return kList.names; }
  static constexpr std::size_t count() { return kSize.names; }
};

// Those that RS_ENUM_NAMES lists, found by argument-dependent lookup.
template <class E, class = void>
struct Enumerators : FoundEnumerators<E> {};
template <class E>
struct Enumerators<E, std::void_t<decltype(rs_enumerators(static_cast<E*>(nullptr)))>> {
  static constexpr auto kList = rs_enumerators(static_cast<E*>(nullptr));
  static constexpr const std::int64_t* values() { return kList.values; }
  static constexpr const char* names() { return kList.names; }
  static constexpr std::size_t count() { return kList.kCount; }
};

template <class E>
struct EnumTable {
  // Not constant: the library notes where the names are in the dictionary.
  [[gnu::visibility("hidden")]] static inline rs_enumeration table = {
      Enumerators<E>::values(), Enumerators<E>::names(),
      static_cast<std::uint32_t>(Enumerators<E>::count()), 0};
};

// The names of RS_ENUM_NAMES, from its text "a, b, c".
template <std::size_t kValues, std::size_t kBytes>
struct ListedEnumerators {
  static constexpr std::size_t kCount = kValues;
  std::int64_t values[kValues] = {};
  char names[kBytes + 1] = {};

  template <class E>
  constexpr ListedEnumerators(const E (&list)[kValues], const char (&text)[kBytes]) {
    for (std::size_t i = 0; i < kValues; ++i) values[i] = static_cast<std::int64_t>(list[i]);
    std::size_t at = 0;
    for (std::size_t i = 0; i + 1 < kBytes; ++i) {
      if (text[i] == ' ') continue;  // only around commas
      names[at++] = text[i] == ',' ? '\0' : text[i];
    }
  }
};

}  // namespace detail
}  // namespace ringside
