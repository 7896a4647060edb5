#include "trace-format/text/value_text.hpp"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "trace-format/text/array_elements.hpp"
#include "trace-format/text/printf_number.hpp"

namespace ringside::trace {
namespace {

using shm::FieldType;

constexpr std::string_view kUnprintable = "<?>";
constexpr char kHexDigits[] = "0123456789abcdef";

void write_decimal(TextSink& sink, UInt128 number, bool negative) {
  char digits[40];
  char* const end = digits + sizeof digits;
  char* begin = end;
  do {
    *--begin = static_cast<char>('0' + static_cast<int>(number % 10));
    number /= 10;
  } while (number != 0);
  if (negative) *--begin = '-';
  sink.write({begin, static_cast<std::size_t>(end - begin)});
}

template <typename Number>
void write_shortest(TextSink& sink, Number number) {
  char* const begin = sink.reserve(64);
  sink.commit(std::to_chars(begin, begin + 64, number).ptr);
}

void write_hex(TextSink& sink, std::string_view bytes) {
  for (const char byte : bytes) {
    const auto bits = static_cast<unsigned char>(byte);
    sink.put(kHexDigits[bits >> 4]);
    sink.put(kHexDigits[bits & 15]);
  }
}

bool is_control(char character) {
  return static_cast<unsigned char>(character) < 0x20 || character == 0x7f;
}

bool needs_quotes(std::string_view text) {
  for (const char character : text) {
    if (character == ' ' || character == '"' || character == '=' || is_control(character)) {
      return true;
    }
  }
  return text.empty();
}

void write_escaped(TextSink& sink, char character) {
  switch (character) {
    case '"':
    case '\\':
      sink.put('\\');
      sink.put(character);
      return;
    case '\n':
      sink.write("\\n");
      return;
    case '\r':
      sink.write("\\r");
      return;
    case '\t':
      sink.write("\\t");
      return;
    default:
      break;
  }
  if (is_control(character)) {
    sink.write("\\x");
    write_hex(sink, {&character, 1});
  } else {
    sink.put(character);
  }
}

void write_string(TextSink& sink, std::string_view text) {
  if (!needs_quotes(text)) {
    sink.write(text);
    return;
  }
  sink.put('"');
  for (const char character : text) write_escaped(sink, character);
  sink.put('"');
}

void write_character(TextSink& sink, std::uint64_t code) {
  const char character = static_cast<char>(code);
  write_string(sink, {&character, 1});
}

void write_f80(TextSink& sink, const Value& value) {
  constexpr NumberStyle kEnoughDigits{0, 21, 0, 'g'};
  write_library_float(sink, value.as_f80().value_or(0.0L), "%*.*Lg", kEnoughDigits);
}

void write_array(TextSink& sink, const Value& array) {
  ArrayElements elements(array);
  std::string_view separator;
  sink.put('[');
  for (Value element; elements.next(element); separator = ", ") {
    sink.write(separator);
    write_value(sink, element);
  }
  if (elements.cut_short()) {
    sink.write(separator);
    sink.write(kUnprintable);
  }
  sink.put(']');
}

}  // namespace

void write_value(TextSink& sink, const Value& value) {
  if (!shm::is_valid_code(shm::code(value.type))) {
    sink.write(kUnprintable);
    return;
  }
  if (shm::is_array(value.type)) {
    write_array(sink, value);
    return;
  }
  switch (value.type) {
    case FieldType::boolean:
      sink.write(value.u64 != 0 ? "true" : "false");
      return;
    case FieldType::character:
      write_character(sink, value.u64);
      return;
    case FieldType::i8:
    case FieldType::i16:
    case FieldType::i32:
    case FieldType::i64:
      write_shortest(sink, value.i64);
      return;
    case FieldType::u8:
    case FieldType::u16:
    case FieldType::u32:
    case FieldType::u64:
      write_shortest(sink, value.u64);
      return;
    case FieldType::i128: {
      const auto bits = static_cast<UInt128>(value.as_i128().value_or(0));
      const bool negative = (value.high >> 63) != 0;
      write_decimal(sink, negative ? 0 - bits : bits, negative);
      return;
    }
    case FieldType::u128:
      write_decimal(sink, value.as_u128().value_or(0), false);
      return;
    case FieldType::f32:
      write_shortest(sink, value.f32);
      return;
    case FieldType::f64:
      write_shortest(sink, value.f64);
      return;
    case FieldType::f80:
      write_f80(sink, value);
      return;
    case FieldType::pointer:
      write_pointer(sink, value.u64, NumberStyle{});
      return;
    case FieldType::string:
      write_string(sink, value.text);
      return;
    case FieldType::bytes:
      write_hex(sink, value.text);
      return;
    case FieldType::enumeration:
      if (value.text.empty()) {
        write_shortest(sink, value.i64);
      } else {
        write_string(sink, value.text);
      }
      return;
    case FieldType::none:
      break;
  }
  sink.write(kUnprintable);
}

}  // namespace ringside::trace
