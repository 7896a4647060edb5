#include "trace-format/lines/json_value.hpp"

#include <cfloat>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "shm-layout/field_type.hpp"
#include "trace-format/lines/json_text.hpp"
#include "trace-format/text/array_elements.hpp"
#include "trace-format/text/value_text.hpp"

namespace ringside::trace {
namespace {

using shm::FieldType;

void append_string(TextSink& out, std::string_view text) {
  out.put('"');
  append_json_text(out, text);
  out.put('"');
}

// Most readers would read a number without point and exponent as an integer.
void append_with_point(TextSink& out, std::string_view digits) {
  out.write(digits);
  if (digits.find_first_of(".e") == std::string_view::npos) out.write(".0");
}

template <class Number>
bool append_special(TextSink& out, Number number) {
  if (std::isfinite(number)) return false;
  out.write(std::isnan(number) ? "\"NaN\"" : number < 0 ? "\"-Infinity\"" : "\"Infinity\"");
  return true;
}

// Perfetto's reader parses the digits before the point, and those after it, as integers of 64 bits.
bool has_too_many_digits(std::string_view number) {
  constexpr std::size_t kMostDigits = 18;
  const std::size_t point = number.find('.');
  const std::size_t whole = point == std::string_view::npos ? number.size() : point;
  return whole > kMostDigits || number.size() - whole > kMostDigits + 1;
}

template <class Number>
void append_floating(TextSink& out, Number number) {
  if (append_special(out, number)) return;
  char digits[64];
  char* end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  if (has_too_many_digits({digits, static_cast<std::size_t>(end - digits)})) {
    end = std::to_chars(digits, digits + sizeof digits, number, std::chars_format::scientific).ptr;
  }
  append_with_point(out, {digits, static_cast<std::size_t>(end - digits)});
}

void append_f80(TextSink& out, const Value& value) {
  const long double number = value.as_f80().value_or(0.0L);
  if (append_special(out, number)) return;
  TextSink digits;
  write_value(digits, value);
  if (std::abs(number) <= static_cast<long double>(DBL_MAX)) {
    append_with_point(out, digits.text());
  } else {
    append_string(out, digits.text());
  }
}

void append_pointer(TextSink& out, std::uint64_t address) {
  char digits[16];
  const auto end = std::to_chars(digits, digits + sizeof digits, address, 16).ptr;
  out.write("\"0x");
  out.write({digits, static_cast<std::size_t>(end - digits)});
  out.put('"');
}

void append_base64(TextSink& out, std::string_view bytes) {
  constexpr char kBase64Digits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  out.put('"');
  for (; !bytes.empty(); bytes.remove_prefix(bytes.size() < 3 ? bytes.size() : 3)) {
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      bits = bits << 8 | (i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0U);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      out.put(i <= bytes.size() ? kBase64Digits[bits >> (18 - 6 * i) & 63] : '=');
    }
  }
  out.put('"');
}

void append_array(TextSink& out, const Value& array) {
  ArrayElements elements(array);
  std::string_view separator;
  out.put('[');
  for (Value element; elements.next(element); separator = ",") {
    out.write(separator);
    append_json_value(out, element);
  }
  out.put(']');
}

}  // namespace

void append_json_value(TextSink& out, const Value& value) {
  if (!shm::is_valid_code(shm::code(value.type))) return out.write("null");
  if (shm::is_array(value.type)) return append_array(out, value);
  switch (value.type) {
    case FieldType::f32:
      return append_floating(out, value.f32);
    case FieldType::f64:
      return append_floating(out, value.f64);
    case FieldType::f80:
      return append_f80(out, value);
    case FieldType::pointer:
      return append_pointer(out, value.u64);
    case FieldType::character: {
      const char character = static_cast<char>(value.u64);
      return append_string(out, {&character, 1});
    }
    case FieldType::string:
      return append_string(out, value.text);
    case FieldType::bytes:
      return append_base64(out, value.text);
    case FieldType::enumeration:
      if (!value.text.empty()) return append_string(out, value.text);
      return write_value(out, value);
    default:
      return write_value(out, value);  // integers and booleans have the same form
  }
}

}  // namespace ringside::trace
