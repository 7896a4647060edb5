#include "tools/interop/netlogger/ulm_values.hpp"

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <system_error>
#include <type_traits>

#include <fmt/format.h>

#include "tools/interop/netlogger/ulm_text.hpp"
#include "trace-format/lines/hex_digits.hpp"

namespace ringside::tool::ulm {
namespace {

using shm::FieldType;

bool is_digit(char character) {
  return character >= '0' && character <= '9';
}

std::size_t digits_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_digit(text[end])) ++end;
  return end - at;
}

template <class Number>
FieldType parse(std::string_view text, FieldType type, std::uint64_t& bits) {
  static_assert(sizeof(Number) == sizeof bits);
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return FieldType::none;
  std::memcpy(&bits, &number, sizeof bits);
  return type;
}

// [.DIGITS][e[+-]DIGITS], up to the end.
bool is_fraction(std::string_view text) {
  std::size_t at = 0;
  if (text[at] == '.') {
    const std::size_t digits = digits_at(text, 1);
    if (digits == 0) return false;
    at += 1 + digits;
    if (at == text.size()) return true;
  }
  if (text[at] != 'e' && text[at] != 'E') return false;
  ++at;
  if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
  return at < text.size() && at + digits_at(text, at) == text.size();
}

// Up to here numbers have six exact digits after the point: 2^53 millionths.
constexpr double kMostMillionths = 9007199254740992.0 / 1e6;
constexpr double kMostWhole = 1e39;  // includes all 32-bit floats as %f writes them

template <class Number>
void put_number(trace::TextSink& line, Number number) {
  constexpr std::size_t kRoom = 64;
  char* const begin = line.reserve(kRoom);
  line.commit(std::to_chars(begin, begin + kRoom, number).ptr);
}

template <class Float>
bool put_millionths(trace::TextSink& line, Float number) {
  const double wide = std::abs(static_cast<double>(number));
  if (!(wide < kMostMillionths)) return false;
  const double millionths = std::nearbyint(wide * 1e6);
  // The division rounds as the reading of the digits does.
  if (static_cast<Float>(millionths / 1e6) != std::abs(number)) return false;
  auto whole = static_cast<std::uint64_t>(millionths);
  if (std::signbit(number)) line.put('-');
  put_number(line, whole / 1'000'000);
  whole %= 1'000'000;
  constexpr std::size_t kDigits = 7;
  char* const digits = line.reserve(kDigits);
  digits[0] = '.';
  for (std::size_t i = kDigits - 1; i > 0; --i, whole /= 10) {
    digits[i] = static_cast<char>('0' + whole % 10);
  }
  line.commit(digits + kDigits);
  return true;
}

template <class Float>
void put_any_float(trace::TextSink& line, Float number) {
  if (std::isnan(number)) return line.write("nan");
  if (std::isinf(number)) return line.write(number < 0 ? "-inf" : "inf");
  if (put_millionths(line, number)) return;
  const auto wide = static_cast<double>(number);
  if (std::abs(wide) < kMostWhole && wide == std::trunc(wide)) {
    constexpr std::size_t kRoom = 64;
    char* const begin = line.reserve(kRoom);
    return line.commit(fmt::format_to_n(begin, kRoom, "{:f}", wide).out);
  }
  put_number(line, number);
}

}  // namespace

FieldType number_of(std::string_view text, std::uint64_t& bits) {
  if (text.empty()) return FieldType::none;
  const bool negative = text.front() == '-';
  const std::size_t first = negative ? 1 : 0;
  const std::size_t digits = digits_at(text, first);
  if (digits == 0) {
    const bool known = text == "nan" || text == "inf" || text == "-inf";
    return known ? parse<double>(text, FieldType::f64, bits) : FieldType::none;
  }
  if (digits > 1 && text[first] == '0') return FieldType::none;
  if (first + digits < text.size()) {
    if (!is_fraction(text.substr(first + digits))) return FieldType::none;
    return parse<double>(text, FieldType::f64, bits);
  }
  if (negative && text[first] == '0') return FieldType::none;
  constexpr std::size_t kSafeDigits = 18;
  if (digits > kSafeDigits) {
    const FieldType narrow = parse<std::int64_t>(text, FieldType::i64, bits);
    return narrow != FieldType::none ? narrow : parse<std::uint64_t>(text, FieldType::u64, bits);
  }
  std::uint64_t number = 0;
  for (const char digit : text.substr(first)) {
    number = number * 10 + static_cast<std::uint64_t>(digit - '0');
  }
  bits = negative ? -number : number;
  return FieldType::i64;
}

void put_float(trace::TextSink& line, double number) {
  put_any_float(line, number);
}

void put_float(trace::TextSink& line, float number) {
  put_any_float(line, number);
}

void put_integer(trace::TextSink& line, std::int64_t number) {
  put_number(line, number);
}

void put_integer(trace::TextSink& line, std::uint64_t number) {
  put_number(line, number);
}

void put_text(trace::TextSink& line, std::string_view text) {
  std::uint64_t bits = 0;
  if (is_plain(text) && number_of(text, bits) == FieldType::none) return line.write(text);
  line.put('"');
  for (const char character : text) {
    if (character == '\n') {
      line.write("\\n");
    } else if (character == '\r') {
      line.write("\\r");
    } else if (is_control(character)) {
      const auto code = static_cast<unsigned char>(character);
      line.write("\\x");
      line.put(trace::kHexDigits[code >> 4]);
      line.put(trace::kHexDigits[code & 15]);
    } else {
      if (character == '"' || character == '\\') line.put('\\');
      line.put(character);
    }
  }
  line.put('"');
}

}  // namespace ringside::tool::ulm
