#include "trace-format/query/group_key.hpp"

#include <algorithm>

#include "shm-layout/level.hpp"
#include "trace-format/query/field_reader.hpp"
#include "trace-format/query/site_selector.hpp"
#include "trace-format/text/text_sink.hpp"
#include "trace-format/text/value_text.hpp"

namespace ringside::trace::query {
namespace {

using shm::FieldType;

void append_raw(std::string& bytes, char tag, std::uint64_t low, std::uint64_t high = 0) {
  bytes.push_back(tag);
  bytes.append(reinterpret_cast<const char*>(&low), sizeof low);
  bytes.append(reinterpret_cast<const char*>(&high), sizeof high);
}

void append_text(std::string& bytes, std::string_view text) {
  append_raw(bytes, 't', text.size());
  bytes += text;
}

void append_value(std::string& bytes, const Value& value) {
  switch (value.type) {
    case FieldType::f32:
    case FieldType::f64: {
      const Value number =
          Value::of_f64(value.type == FieldType::f32 ? static_cast<double>(value.f32) : value.f64);
      return append_raw(bytes, 'f', number.u64);
    }
    case FieldType::f80:
      return append_raw(bytes, 'l', value.u64, value.high);
    case FieldType::i128:
    case FieldType::u128: {
      const bool negative = value.type == FieldType::i128 && (value.high >> 63) != 0;
      return append_raw(bytes, negative ? '-' : 'i', value.u64, value.high);
    }
    case FieldType::enumeration:
      // By its name: two services may number it differently.
      if (!value.text.empty()) return append_text(bytes, value.text);
      break;
    default:
      if (shm::is_variable_length(value.type)) return append_text(bytes, value.text);
      break;
  }
  const bool negative =
      (shm::is_signed(value.type) || value.type == FieldType::enumeration) && value.i64 < 0;
  append_raw(bytes, negative ? '-' : 'i', value.u64, negative ? ~std::uint64_t{0} : 0);
}

KeyText text_of(const Value& value) {
  // Strings unchanged; write_value() would quote some.
  if (value.type == FieldType::string) return {std::string(value.text), 0, false};
  TextSink sink;
  write_value(sink, value);
  const bool number = is_number(value.type) && value.type != FieldType::boolean;
  return {std::string(sink.text()), number ? rounded(value) : 0, number};
}

constexpr std::size_t kNoProcessor = SIZE_MAX;

std::string_view service_of(const RecordInfo& record) {
  return record.segment->service;
}

void append_property(std::string& bytes, const PropertyValue& value) {
  using Type = PropertyValue::Type;
  switch (value.type) {
    case Type::kNone:
      return bytes.push_back('x');
    case Type::kText:
      return append_text(bytes, value.text);
    case Type::kId:
      bytes.push_back('a');
      bytes.append(reinterpret_cast<const char*>(value.id), 16);
      return;
    case Type::kNumber:
    case Type::kMask:
    case Type::kBoolean:
      return append_raw(bytes, 'i', value.number);
  }
}

PropertySource source_of(const RecordInfo& record, std::size_t processor_field) {
  PropertySource source;
  source.site = record.site;
  source.segment = record.segment;
  source.stream = record.stream;
  source.extension = record.extension;
  source.processor_code = record.processor;
  source.unix_ns = record.unix_ns;
  source.sequence = record.sequence;
  source.tick_hz = record.segment->tick_hz;
  for (std::size_t i = 0; i < std::size(kProcessorFields) && processor_field != kNoProcessor; ++i) {
    const Value* const value = record.own_value(processor_field + i);
    if (value != nullptr && shm::is_integer(value->type)) source.processor = value;
  }
  return source;
}

KeyText text_of_property(const RecordInfo& record, const KeyPart& part) {
  const bool is_processor = part.property == Property::kProcessor;
  const PropertySource source = source_of(record, is_processor ? part.field : kNoProcessor);
  const PropertyValue value = read_property(part.property, source);
  TextSink sink;
  trace::append_property(sink, part.property, source);
  const bool is_number =
      value.type == PropertyValue::Type::kNumber && part.property != Property::kLevel;
  return {std::string(sink.text()), static_cast<double>(value.number), is_number};
}

}  // namespace

PropertyValue property_of(const RecordInfo& record, Property property,
                          std::size_t processor_field) {
  const bool is_processor = property == Property::kProcessor;
  return read_property(property, source_of(record, is_processor ? processor_field : kNoProcessor));
}

void append_key(std::string& bytes, const std::vector<KeyPart>& parts, const RecordInfo& record) {
  for (const KeyPart& part : parts) {
    switch (part.kind) {
      case KeyPartKind::kField:
        if (const Value* const value = record.value(part.field)) {
          append_value(bytes, *value);
        } else {
          bytes.push_back('x');
        }
        break;
      case KeyPartKind::kThread:
        bytes.append(record.segment->uuid.begin(), record.segment->uuid.end());
        append_raw(bytes, 's', record.stream->id);
        break;
      case KeyPartKind::kService:
        append_text(bytes, service_of(record));
        break;
      case KeyPartKind::kProcess:
        bytes.append(record.segment->uuid.begin(), record.segment->uuid.end());
        break;
      case KeyPartKind::kSite:
        // Not by its id, which may belong to another site in another run.
        append_raw(bytes, 'n', record.site->line);
        append_text(bytes, record.site->file);
        append_text(bytes, record.site->name);
        append_text(bytes, record.site->format);
        break;
      case KeyPartKind::kLevel:
        bytes.push_back(static_cast<char>(record.site->level));
        break;
      case KeyPartKind::kCategory:
        append_text(bytes, record.site->category);
        break;
      case KeyPartKind::kInterval:
        append_raw(bytes, 'i', record.unix_ns / part.interval_ns);
        break;
      case KeyPartKind::kProperty:
        append_property(bytes, property_of(record, part.property, part.field));
        break;
    }
  }
}

std::vector<KeyText> key_texts(const std::vector<KeyPart>& parts, const RecordInfo& record) {
  std::vector<KeyText> texts;
  for (const KeyPart& part : parts) {
    switch (part.kind) {
      case KeyPartKind::kField: {
        const Value* const value = record.value(part.field);
        texts.push_back(value == nullptr ? KeyText{} : text_of(*value));
        break;
      }
      case KeyPartKind::kThread: {
        std::string text = std::to_string(record.stream->thread_id);
        if (!record.stream->thread_name.empty()) text += " " + record.stream->thread_name;
        texts.push_back({std::move(text), 0, false});
        break;
      }
      case KeyPartKind::kService:
        texts.push_back({std::string(service_of(record)), 0, false});
        break;
      case KeyPartKind::kProcess: {
        texts.push_back(
            {std::to_string(record.segment->pid), static_cast<double>(record.segment->pid), true});
        break;
      }
      case KeyPartKind::kSite:
        texts.push_back({site_label(*record.site), 0, false});
        break;
      case KeyPartKind::kLevel:
        texts.push_back({std::string(shm::level_name(record.site->level)), 0, false});
        break;
      case KeyPartKind::kCategory:
        texts.push_back({record.site->category, 0, false});
        break;
      case KeyPartKind::kInterval: {
        const std::uint64_t begin = record.unix_ns / part.interval_ns * part.interval_ns;
        texts.push_back({std::to_string(begin), static_cast<double>(begin), true});
        break;
      }
      case KeyPartKind::kProperty:
        texts.push_back(text_of_property(record, part));
        break;
    }
  }
  return texts;
}

bool sorts_before(const std::vector<KeyText>& a, const std::vector<KeyText>& b) {
  return std::lexicographical_compare(
      a.begin(), a.end(), b.begin(), b.end(), [](const KeyText& x, const KeyText& y) {
        if (x.is_number != y.is_number) return x.is_number;
        if (x.is_number && (x.number < y.number || y.number < x.number)) return x.number < y.number;
        return x.text < y.text;
      });
}

}  // namespace ringside::trace::query
