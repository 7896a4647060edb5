#include "tools/interop/viewers/otlp_values.hpp"

#include <charconv>
#include <iterator>

#include "trace-format/lines/hex_digits.hpp"
#include "trace-format/lines/json_text.hpp"
#include "trace-format/lines/json_value.hpp"
#include "trace-format/text/array_elements.hpp"
#include "trace-format/text/value_text.hpp"

namespace ringside::tool::otlp {
namespace {

using shm::FieldType;
using trace::TextSink;

void put_quoted(TextSink& out, std::string_view name, const trace::Value& value) {
  out.write(name);
  out.put('"');
  write_value(out, value);
  out.write("\"}");
}

void put_as_json(TextSink& out, std::string_view name, const trace::Value& value) {
  out.write(name);
  trace::append_json_value(out, value);
  out.put('}');
}

void put_array(TextSink& out, const trace::Value& array, UncarriedFacts& uncarried) {
  trace::ArrayElements elements(array);
  std::string_view separator;
  out.write("{\"arrayValue\":{\"values\":[");
  for (trace::Value element; elements.next(element); separator = ",") {
    out.write(separator);
    put_any_value(out, element, uncarried);
  }
  out.write("]}}");
}

void put_f80(TextSink& out, const trace::Value& value, UncarriedFacts& uncarried) {
  const long double number = value.as_f80().value_or(0.0L);
  const auto nearest = static_cast<double>(number);
  if (number == number && static_cast<long double>(nearest) != number) {
    uncarried.count(Fact::kRange);
  }
  put_as_json(out, "{\"doubleValue\":", trace::Value::of_f64(nearest));
}

}  // namespace

void put_number(TextSink& out, std::uint64_t number) {
  char* const begin = out.reserve(24);
  out.commit(std::to_chars(begin, begin + 24, number).ptr);
}

void put_hex(TextSink& out, const std::array<std::uint8_t, 16>& id) {
  char* at = out.reserve(32);
  for (const std::uint8_t byte : id) {
    *at++ = trace::kHexDigits[byte >> 4];
    *at++ = trace::kHexDigits[byte & 15];
  }
  out.commit(at);
}

void put_hex(TextSink& out, std::uint64_t id) {
  char* at = out.reserve(16);
  for (int shift = 60; shift >= 0; shift -= 4) *at++ = trace::kHexDigits[id >> shift & 15];
  out.commit(at);
}

void put_attribute(TextSink& out, std::string_view key, std::string_view text) {
  out.write("{\"key\":\"");
  out.write(key);
  out.write("\",\"value\":{\"stringValue\":\"");
  trace::append_json_text(out, text);
  out.write("\"}}");
}

void put_attribute(TextSink& out, std::string_view key, std::uint64_t number) {
  out.write("{\"key\":\"");
  out.write(key);
  const bool fits = number <= INT64_MAX;
  out.write(fits ? "\",\"value\":{\"intValue\":\"" : "\",\"value\":{\"stringValue\":\"");
  put_number(out, number);
  out.write("\"}}");
}

void put_any_value(TextSink& out, const trace::Value& value, UncarriedFacts& uncarried) {
  if (shm::is_array(value.type)) return put_array(out, value, uncarried);
  switch (value.type) {
    case FieldType::boolean:
      return put_as_json(out, "{\"boolValue\":", value);
    case FieldType::i8:
    case FieldType::i16:
    case FieldType::i32:
    case FieldType::i64:
    case FieldType::u8:
    case FieldType::u16:
    case FieldType::u32:
      return put_quoted(out, "{\"intValue\":", value);
    case FieldType::u64:
      return put_quoted(out,
                        value.u64 <= INT64_MAX ? "{\"intValue\":" : "{\"stringValue\":", value);
    case FieldType::i128:
    case FieldType::u128:
      return put_quoted(out, "{\"stringValue\":", value);
    case FieldType::f32:
    case FieldType::f64:
      return put_as_json(out, "{\"doubleValue\":", value);
    case FieldType::f80:
      return put_f80(out, value, uncarried);
    case FieldType::bytes:
      return put_as_json(out, "{\"bytesValue\":", value);
    case FieldType::enumeration:
      if (value.text.empty()) return put_quoted(out, "{\"intValue\":", value);
      return put_as_json(out, "{\"stringValue\":", value);
    case FieldType::character:
    case FieldType::string:
    case FieldType::pointer:
      return put_as_json(out, "{\"stringValue\":", value);
    default:
      return out.write("{}");
  }
}

std::uint64_t severity(shm::Level level) {
  constexpr std::uint8_t kNumbers[] = {0, 1, 5, 9, 10, 13, 17, 21};
  const auto index = static_cast<std::size_t>(level);
  return index < std::size(kNumbers) ? kNumbers[index] : 0;
}

}  // namespace ringside::tool::otlp
