#include "tools/interop/perfetto/perfetto_annotations.hpp"

#include "tools/interop/perfetto/perfetto_fields.hpp"
#include "tools/interop/perfetto/protobuf_encoding.hpp"
#include "tools/interop/valid_utf8.hpp"
#include "trace-format/lines/json_value.hpp"
#include "trace-format/text/array_elements.hpp"
#include "trace-format/text/value_text.hpp"

namespace ringside::tool::perfetto {
namespace {

using shm::FieldType;

// The value's JSON text without the quotes; only for values that JSON needs no escapes for.
void put_json_text(trace::TextSink& out, const trace::Value& value) {
  trace::TextSink text;
  trace::append_json_value(text, value);
  const std::string_view quoted = text.text();
  protobuf::put_bytes(out, annotation::kString, quoted.substr(1, quoted.size() - 2));
}

void put_f80(trace::TextSink& out, const trace::Value& value, UncarriedFacts& uncarried) {
  const long double number = value.as_f80().value_or(0.0L);
  const auto nearest = static_cast<double>(number);
  if (number == number && static_cast<long double>(nearest) != number) {
    uncarried.count(Fact::kRange);
  }
  protobuf::put_double(out, annotation::kDouble, nearest);
}

void put_array(trace::TextSink& out, const trace::Value& array, UncarriedFacts& uncarried) {
  trace::ArrayElements elements(array);
  trace::TextSink one;
  for (trace::Value element; elements.next(element);) {
    one.clear();
    put_annotation_value(one, element, uncarried);
    protobuf::put_bytes(out, annotation::kArrayValues, one.text());
  }
}

}  // namespace

std::uint64_t InternedStrings::number_of(std::uint32_t kind, std::string_view text,
                                         std::string_view rest) {
  auto& numbers = numbers_[kind];
  std::string key(text);
  key += rest;
  const auto [place, is_new] = numbers.try_emplace(std::move(key), numbers.size() + 1);
  if (is_new) {
    trace::TextSink entry;
    protobuf::put_number(entry, interned_data::kIid, place->second);
    protobuf::put_bytes(entry, interned_data::kName, valid_utf8(text));
    entry.write(rest);
    trace::TextSink field;
    protobuf::put_bytes(field, kind, entry.text());
    fresh_ += field.text();
  }
  return place->second;
}

void put_text(trace::TextSink& out, std::uint32_t field, std::string_view text,
              UncarriedFacts& uncarried) {
  if (is_valid_utf8(text)) [[likely]]
    return protobuf::put_bytes(out, field, text);
  uncarried.count(Fact::kText);
  protobuf::put_bytes(out, field, valid_utf8(text));
}

void put_annotation_value(trace::TextSink& out, const trace::Value& value,
                          UncarriedFacts& uncarried) {
  if (shm::is_array(value.type)) return put_array(out, value, uncarried);
  switch (value.type) {
    case FieldType::boolean:
      return protobuf::put_number(out, annotation::kBool, value.u64 != 0);
    case FieldType::i8:
    case FieldType::i16:
    case FieldType::i32:
    case FieldType::i64:
      return protobuf::put_number(out, annotation::kInt, value.u64);
    case FieldType::u8:
    case FieldType::u16:
    case FieldType::u32:
    case FieldType::u64:
      return protobuf::put_number(out, annotation::kUint, value.u64);
    case FieldType::f32:
      return protobuf::put_double(out, annotation::kDouble, static_cast<double>(value.f32));
    case FieldType::f64:
      return protobuf::put_double(out, annotation::kDouble, value.f64);
    case FieldType::f80:
      return put_f80(out, value, uncarried);
    case FieldType::pointer:
      return protobuf::put_number(out, annotation::kPointer, value.u64);
    case FieldType::string:
      return put_text(out, annotation::kString, value.text, uncarried);
    case FieldType::character: {
      const char character = static_cast<char>(value.u64);
      return put_text(out, annotation::kString, {&character, 1}, uncarried);
    }
    case FieldType::bytes:
      return put_json_text(out, value);
    case FieldType::enumeration:
      if (!value.text.empty()) return put_text(out, annotation::kString, value.text, uncarried);
      return protobuf::put_number(out, annotation::kInt, value.u64);
    default: {
      trace::TextSink digits;  // 128 bits
      write_value(digits, value);
      return protobuf::put_bytes(out, annotation::kString, digits.text());
    }
  }
}

}  // namespace ringside::tool::perfetto
