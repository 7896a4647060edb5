// Reads printf formats: at compile time for the C++ front end, at registration for the C one, and
// once per site for the reader. One parser serves all three, so that recording and printing always
// agree. No allocation, no exceptions; the format is untrusted.
#pragma once

#include <cstddef>
#include <cstdint>

#include "field_type.hpp"
#include "format_text.hpp"
#include "printf_error.hpp"

namespace ringside::shm {

// snprintf takes any int. No log line needs a width of thousands, but one short record of a hostile
// file could request gigabytes with it. So both have a limit here.
inline constexpr std::int32_t kMaxPrintfWidth = 4095;
inline constexpr std::int32_t kMaxPrintfPrecision = kMaxPrintfWidth;
// That of text only makes it shorter. A larger one counts as this.
inline constexpr std::int32_t kMaxPrintfTextPrecision = 1'000'000'000;
inline constexpr std::size_t kMaxPrintfFields = 255;  // `*` counts as a field
inline constexpr std::size_t kMaxPrintfFormatBytes = 65536;

namespace printf_flag {
inline constexpr std::uint8_t kMinus = 1;
inline constexpr std::uint8_t kPlus = 2;
inline constexpr std::uint8_t kSpace = 4;
inline constexpr std::uint8_t kHash = 8;
inline constexpr std::uint8_t kZero = 16;
inline constexpr std::uint8_t kQuote = 32;  // digit grouping: no effect in the C locale
}  // namespace printf_flag

enum class WidthKind : std::uint8_t { none = 0, literal, argument };

enum class LengthModifier : std::uint8_t { none = 0, hh, h, l, ll, z, j, t, L };

// One conversion. For "%%" the conversion is '%' and the field type none.
struct PrintfSpec {
  std::uint32_t begin = 0;  // byte range in the format, from the '%' to the end of the conversion
  std::uint32_t end = 0;
  std::int32_t width = 0;      // meaningful when width_kind is literal
  std::int32_t precision = 0;  // likewise; "%.d" is a literal 0
  std::uint8_t flags = 0;      // of printf_flag
  WidthKind width_kind = WidthKind::none;
  WidthKind precision_kind = WidthKind::none;
  LengthModifier length = LengthModifier::none;
  char conversion = 0;
  FieldType field_type = FieldType::none;  // what is recorded
  bool wide = false;  // the C argument is wint_t or wchar_t*; recorded as UTF-8
};

class PrintfParser {
 public:
  // The format's bytes must outlive the parser.
  constexpr explicit PrintfParser(FormatText format) : format_(format) {
    if (format.size() > kMaxPrintfFormatBytes) fail(PrintfError::format_too_long, 0);
  }

  // Finds the next conversion. Returns false at the end of the format, and always after an error.
  constexpr bool next(PrintfSpec& spec) {
    if (error_ != PrintfError::none) return false;
    position_ = static_cast<std::uint32_t>(format_.find_percent(position_));
    if (position_ == format_.size()) return false;
    if (format_[position_] == '\0') return fail(PrintfError::embedded_nul, position_);
    spec = PrintfSpec{};
    spec.begin = position_++;
    if (peek() == '%') {
      ++position_;
      spec.end = position_;
      spec.conversion = '%';
      return true;
    }
    // A letter begins none of these. Compilers evaluate this for each conversion of a program.
    if (peek() < 'A') {
      while (take_flag(spec)) {
      }
      if (!take_width(spec) || !take_precision(spec)) return false;
    }
    return take_length(spec) && take_conversion(spec);
  }

  constexpr PrintfError error() const { return error_; }

  // Offset of the rejected conversion's '%' (or of the NUL character).
  constexpr std::uint32_t error_offset() const { return error_offset_; }

 private:
  constexpr bool fail(PrintfError error, std::uint32_t offset) {
    error_ = error;
    error_offset_ = offset;
    return false;
  }

  // NUL means the end: a NUL inside a conversion is rejected like any unknown character.
  constexpr char peek() const { return position_ < format_.size() ? format_[position_] : '\0'; }

  constexpr bool at_digit() const { return peek() >= '0' && peek() <= '9'; }

  constexpr bool take_flag(PrintfSpec& spec) {
    std::uint8_t flag = 0;
    switch (peek()) {
      case '-':
        flag = printf_flag::kMinus;
        break;
      case '+':
        flag = printf_flag::kPlus;
        break;
      case ' ':
        flag = printf_flag::kSpace;
        break;
      case '#':
        flag = printf_flag::kHash;
        break;
      case '0':
        flag = printf_flag::kZero;
        break;
      case '\'':
        flag = printf_flag::kQuote;
        break;
      default:
        return false;
    }
    spec.flags = static_cast<std::uint8_t>(spec.flags | flag);
    ++position_;
    return true;
  }

  // Stops counting at the largest limit, so that long numbers do not overflow.
  constexpr std::int32_t take_number() {
    std::int32_t number = 0;
    for (; at_digit(); ++position_) {
      number = number < kMaxPrintfTextPrecision / 10 ? number * 10 + (peek() - '0')
                                                     : kMaxPrintfTextPrecision;
    }
    return number;
  }

  constexpr bool take_star(const PrintfSpec& spec) {
    ++position_;
    while (at_digit()) ++position_;
    if (peek() == '$') return fail(PrintfError::positional, spec.begin);
    return count_field(spec);
  }

  constexpr bool take_width(PrintfSpec& spec) {
    if (peek() == '*') {
      spec.width_kind = WidthKind::argument;
      return take_star(spec);
    }
    if (!at_digit()) return true;
    spec.width_kind = WidthKind::literal;
    spec.width = take_number();
    if (peek() == '$') return fail(PrintfError::positional, spec.begin);
    if (spec.width > kMaxPrintfWidth) return fail(PrintfError::width_too_large, spec.begin);
    return true;
  }

  // A point without digits means 0. A sign after the point ("%.-5s") is not valid C and is an
  // unknown conversion; only a `*` precision may be negative.
  constexpr bool take_precision(PrintfSpec& spec) {
    if (peek() != '.') return true;
    ++position_;
    if (peek() == '*') {
      spec.precision_kind = WidthKind::argument;
      return take_star(spec);
    }
    spec.precision_kind = WidthKind::literal;
    spec.precision = take_number();
    return true;
  }

  constexpr bool take_length(PrintfSpec& spec) {
    const char first = peek();
    switch (first) {
      case 'h':
        spec.length = LengthModifier::h;
        break;
      case 'l':
        spec.length = LengthModifier::l;
        break;
      case 'q':
        spec.length = LengthModifier::ll;
        break;
      case 'z':
        spec.length = LengthModifier::z;
        break;
      case 'j':
        spec.length = LengthModifier::j;
        break;
      case 't':
        spec.length = LengthModifier::t;
        break;
      case 'L':
        spec.length = LengthModifier::L;
        break;
      default:
        return true;
    }
    ++position_;
    if ((first == 'h' || first == 'l') && peek() == first) {
      spec.length = first == 'h' ? LengthModifier::hh : LengthModifier::ll;
      ++position_;
    }
    return true;
  }

  constexpr bool take_conversion(PrintfSpec& spec) {
    if (position_ == format_.size()) return fail(PrintfError::incomplete, spec.begin);
    const char conversion = format_[position_++];
    spec.conversion = conversion;
    spec.end = position_;
    const bool plain = spec.length == LengthModifier::none;
    const bool is_long = spec.length == LengthModifier::l;
    switch (conversion) {
      case 'd':
      case 'i':
        spec.field_type = integer_type(spec.length, true);
        break;
      case 'u':
      case 'o':
      case 'x':
      case 'X':
      case 'b':
      case 'B':
        spec.field_type = integer_type(spec.length, false);
        break;
      case 'a':
      case 'A':
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G':
        if (plain || is_long) spec.field_type = FieldType::f64;
        if (spec.length == LengthModifier::L) spec.field_type = FieldType::f80;
        break;
      case 'c':
        if (plain) spec.field_type = FieldType::character;
        if (is_long) spec.field_type = FieldType::string;
        spec.wide = is_long;
        break;
      case 's':
        if (plain || is_long) spec.field_type = FieldType::string;
        spec.wide = is_long;
        break;
      case 'C':
      case 'S':
        if (plain) spec.field_type = FieldType::string;
        spec.wide = true;
        break;
      case 'p':
        if (plain) spec.field_type = FieldType::pointer;
        break;
      case 'n':
        return fail(PrintfError::writes_memory, spec.begin);
      case 'm':
        return fail(PrintfError::prints_errno, spec.begin);
      default:
        return fail(PrintfError::unknown_conversion, spec.begin);
    }
    if (spec.field_type == FieldType::none) return fail(PrintfError::invalid_length, spec.begin);
    const bool is_text = conversion == 's' || conversion == 'S';
    if (spec.precision > kMaxPrintfPrecision && !is_text) {
      return fail(PrintfError::precision_too_large, spec.begin);
    }
    return count_field(spec);
  }

  // The supported 64-bit data models are LP64: long, size_t, intmax_t and ptrdiff_t all have 8
  // bytes.
  static constexpr FieldType integer_type(LengthModifier length, bool is_signed) {
    switch (length) {
      case LengthModifier::hh:
        return is_signed ? FieldType::i8 : FieldType::u8;
      case LengthModifier::h:
        return is_signed ? FieldType::i16 : FieldType::u16;
      case LengthModifier::none:
        return is_signed ? FieldType::i32 : FieldType::u32;
      case LengthModifier::l:
      case LengthModifier::ll:
      case LengthModifier::z:
      case LengthModifier::j:
      case LengthModifier::t:
        return is_signed ? FieldType::i64 : FieldType::u64;
      case LengthModifier::L:
        break;
    }
    return FieldType::none;
  }

  constexpr bool count_field(const PrintfSpec& spec) {
    if (fields_ == kMaxPrintfFields) return fail(PrintfError::too_many_fields, spec.begin);
    ++fields_;
    return true;
  }

  FormatText format_;
  std::uint32_t position_ = 0;
  std::uint32_t fields_ = 0;
  std::uint32_t error_offset_ = 0;
  PrintfError error_ = PrintfError::none;
};

}  // namespace ringside::shm
