#pragma once
// How an argument is passed to the function that records it, and the bytes that it takes in a ring.

#include <cstddef>
#include <cstdint>
#include <string.h>
#include <type_traits>

#include "abi.h"
#include "argument_kind.hpp"
#include "shm-layout/field_type.hpp"
#include "signature.hpp"

namespace ringside::detail {

// What the out-of-line function gets for texts. All are passed in registers.
struct CText {
  const char* text;
};
struct LimitedText {  // need not be terminated within the limit
  const char* text;
  std::int64_t limit_bytes;  // negative: none
};
struct TextView {
  const char* text;
  std::size_t bytes;
};
struct WideText {
  const wchar_t* text;
  std::int64_t limit_bytes;
};
struct CodePoint {  // a %lc argument, stored as the string of its UTF-8 bytes
  std::int32_t value;
};

inline constexpr char kNullText[] = "(null)";
inline constexpr std::size_t kNullTextBytes = sizeof kNullText - 1;

// Numbers are plain stores.
template <class Passed>
struct Stored {
  Passed value;
  static constexpr bool kIsText = false;
  explicit Stored(Passed passed) : value(passed) {}
  static constexpr std::uint64_t bytes() { return sizeof(Passed); }
  unsigned char* store(unsigned char* p) const {
    memcpy(p, &value, sizeof value);
    return p + sizeof value;
  }
  rs_piece piece() const { return {&value, sizeof value, RS_PIECE_PLAIN}; }
};

template <>
struct Stored<long double> {
#if LDBL_MANT_DIG == 64
  long double value;
  explicit Stored(long double passed) : value(passed) {}
#else
  unsigned char value[RS_X87_BYTES];
  explicit Stored(long double passed) {
    rs_store_x87(value, &passed);
  }
#endif
  static constexpr bool kIsText = false;
  static constexpr std::uint64_t bytes() {
    return RS_X87_BYTES;
  }
  unsigned char* store(unsigned char* p) const {
    memcpy(p, &value, RS_X87_BYTES);
    return p + RS_X87_BYTES;
  }
  rs_piece piece() const {
    return {&value, RS_X87_BYTES, RS_PIECE_PLAIN};
  }
};

// A text carries its length, computed once.
struct StoredText {
  const char* text;
  std::uint32_t length;
  static constexpr bool kIsText = true;
  StoredText(const char* begin, std::size_t bytes)
      : text(begin), length(static_cast<std::uint32_t>(bytes < UINT32_MAX ? bytes : UINT32_MAX)) {}
  std::uint64_t bytes() const { return sizeof length + std::uint64_t{length}; }
  unsigned char* store(unsigned char* p) const {
    memcpy(p, &length, sizeof length);
    memcpy(p + sizeof length, text, length);
    return p + sizeof length + length;
  }
  rs_piece piece() const { return {text, length, RS_PIECE_TEXT}; }
};

template <>
struct Stored<CText> : StoredText {
  explicit Stored(CText passed) : Stored(passed.text != nullptr ? passed.text : kNullText) {}

 private:
  explicit Stored(const char* begin) : StoredText(begin, __builtin_strlen(begin)) {}
};

template <>
struct Stored<TextView> : StoredText {
  // An empty view may have no address, which memcpy refuses; a faulty one may claim bytes there.
  explicit Stored(TextView passed)
      : StoredText(passed.text != nullptr ? passed.text : "",
                   passed.text != nullptr ? passed.bytes : 0) {}
};

template <>
struct Stored<LimitedText> : StoredText {
  explicit Stored(LimitedText passed)
      : StoredText(passed.text != nullptr ? passed.text : kNullText, bytes_of(passed)) {}

 private:
  static std::size_t bytes_of(LimitedText passed) {
    const auto limit = static_cast<std::size_t>(passed.limit_bytes);
    if (passed.text == nullptr) {  // as glibc prints it
      return passed.limit_bytes < 0 || limit >= kNullTextBytes ? kNullTextBytes : 0;
    }
    return passed.limit_bytes < 0 ? __builtin_strlen(passed.text) : strnlen(passed.text, limit);
  }
};

// Code points, stored as their UTF-8 bytes.
struct StoredCodePoints {
  std::uint32_t length;
  static constexpr bool kIsText = true;
  std::uint64_t bytes() const { return sizeof length + std::uint64_t{length}; }

 protected:
  explicit StoredCodePoints(std::uint32_t bytes) : length(bytes) {}
  unsigned char* store_from(const std::int32_t* text, unsigned char* p) const {
    memcpy(p, &length, sizeof length);
    rs_utf8_store(text, p + sizeof length, length);
    return p + sizeof length + length;
  }
};

template <>
struct Stored<WideText> : StoredCodePoints {
  const std::int32_t* text;
  static_assert(sizeof(wchar_t) == sizeof(std::int32_t), "wchar_t is not a code point");
  explicit Stored(WideText passed)
      : StoredCodePoints(bytes_of(passed)),
        text(passed.text != nullptr ? reinterpret_cast<const std::int32_t*>(passed.text)
                                    : kNullWide) {}
  unsigned char* store(unsigned char* p) const { return store_from(text, p); }
  rs_piece piece() const { return {text, length, RS_PIECE_WIDE}; }

 private:
  static std::uint32_t bytes_of(WideText passed) {
    if (passed.text != nullptr) {
      return rs_utf8_bytes(reinterpret_cast<const std::int32_t*>(passed.text), passed.limit_bytes);
    }
    const auto null_bytes = static_cast<std::int64_t>(kNullTextBytes);
    return passed.limit_bytes < 0 || passed.limit_bytes >= null_bytes ? kNullTextBytes : 0;
  }
  static constexpr std::int32_t kNullWide[] = {'(', 'n', 'u', 'l', 'l', ')', 0};
};

template <>
struct Stored<CodePoint> : StoredCodePoints {
  std::int32_t text[2];
  explicit Stored(CodePoint passed) : StoredCodePoints(0), text{passed.value, 0} {
    length = rs_utf8_bytes(text, -1);
  }
  unsigned char* store(unsigned char* p) const { return store_from(text, p); }
  rs_piece piece() const { return {text, length, RS_PIECE_WIDE}; }
};

template <std::size_t kBytes>
struct UnsignedOf {
  using type = std::uint64_t;
};
template <>
struct UnsignedOf<1> {
  using type = std::uint8_t;
};
template <>
struct UnsignedOf<2> {
  using type = std::uint16_t;
};
template <>
struct UnsignedOf<4> {
  using type = std::uint32_t;
};
template <>
struct UnsignedOf<16> {
  using type = UInt128;
};

// The text of a class: `limit_bytes` negative: all of it.
template <class Text>
[[gnu::always_inline]] inline TextView view_of(const Text& text, std::int64_t limit_bytes) {
  const auto bytes = static_cast<std::size_t>(text.size());
  const auto limit = static_cast<std::size_t>(limit_bytes);  // a negative one is larger than any
  return {reinterpret_cast<const char*>(text.data()), bytes < limit ? bytes : limit};
}

// The argument of a field with `kCode` in the form in which it is passed. `limit_bytes`: of a code
// with kLimitedCode.
template <unsigned kCode, class T>
[[gnu::always_inline]] inline auto passed(const T& argument, std::int64_t limit_bytes) {
  using D = std::decay_t<T>;
  constexpr shm::FieldType kType = field_type(kCode);
  constexpr bool kIsLimited = (kCode & kLimitedCode) != 0;
  if constexpr (kType == shm::FieldType::string) {
    constexpr ArgumentKind kKind = argument_of<D>().kind;
    if constexpr (kKind == ArgumentKind::text) {
      return view_of(argument, kIsLimited ? limit_bytes : -1);
    } else if constexpr (kKind == ArgumentKind::path) {
      return view_of(argument.native(), kIsLimited ? limit_bytes : -1);
    } else if constexpr (kKind == ArgumentKind::made_text) {
      return MadeText<D>::passed(argument);  // tools apply the limit
    } else if constexpr (kKind == ArgumentKind::wide_pointer) {
      return WideText{argument, kIsLimited ? limit_bytes : -1};
    } else if constexpr (kKind != ArgumentKind::text_pointer) {
      return CodePoint{static_cast<std::int32_t>(argument)};
    } else if constexpr (kIsLimited) {
      return LimitedText{reinterpret_cast<const char*>(argument), limit_bytes};
    } else {
      return CText{reinterpret_cast<const char*>(argument)};
    }
  } else if constexpr (kType == shm::FieldType::pointer) {
    if constexpr (std::is_null_pointer_v<D>) {
      return static_cast<const volatile void*>(nullptr);
    } else {
      return reinterpret_cast<const volatile void*>(static_cast<D>(argument));
    }
  } else if constexpr (kType == shm::FieldType::f80) {
    return static_cast<long double>(argument);
  } else if constexpr (kType == shm::FieldType::f64) {
    return static_cast<double>(argument);
  } else if constexpr (kType == shm::FieldType::f32) {
    return static_cast<float>(argument);
  } else {
    // Through the argument's own type, whose sign extends it.
    return static_cast<typename UnsignedOf<shm::fixed_size(kType)>::type>(argument);
  }
}

}  // namespace ringside::detail
