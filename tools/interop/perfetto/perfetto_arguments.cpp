#include "tools/interop/perfetto/perfetto_arguments.hpp"

#include <cstring>

#include "shm-layout/dictionary_entry.hpp"
#include "tools/interop/perfetto/perfetto_fields.hpp"
#include "tools/interop/perfetto/perfetto_nested_value.hpp"
#include "tools/interop/trace_builder.hpp"
#include "trace-format/lines/json_text.hpp"
#include "trace-format/lines/json_value.hpp"

namespace ringside::tool::perfetto {
namespace {

using shm::FieldType;

constexpr unsigned kMostDepth = 32;
constexpr std::size_t kMostPerfettoNameBytes = 4096;

}  // namespace

// The parts of a DebugAnnotation.
struct Arguments::Annotation {
  std::string_view message;
  std::string_view name;
  std::uint64_t name_number = 0;  // 0: the name itself is present
  OwnFact fact = OwnFact::kNone;
  FieldType type = FieldType::none;  // of its value; none: it has no value, or nested ones
  std::uint64_t number = 0;
  std::string_view text;
  std::string_view nested;  // a NestedValue
  bool has_elements = false;
  bool has_entries = false;

  bool is_text() const { return type == FieldType::string || type == FieldType::bytes; }
  trace::Value value() const {
    if (is_text()) return trace::Value::of_text(type, text);
    return trace::Value::of_unsigned(type, number);
  }
};

void Arguments::clear() {
  key_.clear();
  values_.clear();
  fields_.clear();
  if (!names_.empty()) names_.clear();
  own_ = {};
  was_cut_ = false;
  missing_strings_ = left_out_ = 0;
}

void Arguments::key_number(char what, std::uint64_t number) {
  char* const at = key_.reserve(1 + sizeof number);
  *at = what;
  std::memcpy(at + 1, &number, sizeof number);
  key_.commit(at + 1 + sizeof number);
}

bool Arguments::read(std::string_view message, const InternedEntries& interned,
                     Annotation& annotation) {
  annotation.message = message;
  const auto number_of = [&annotation](const protobuf::Field& field, FieldType type) {
    if (!field.is_number()) return;
    annotation.type = type;
    annotation.number = type == FieldType::boolean ? field.value != 0 : field.value;
  };
  const auto text_of = [&annotation](const protobuf::Field& field, FieldType type) {
    if (!field.is_bytes()) return;
    annotation.type = type;
    annotation.text = field.bytes;
  };
  protobuf::Fields fields(message);
  for (protobuf::Field field; fields.next(field);) {
    switch (field.number) {
      case annotation::kNameIid:
        if (const auto* const entry = interned.find(Kind::kAnnotationName, field.value)) {
          annotation.name = entry->text;
          annotation.fact = entry->fact;
          annotation.name_number = field.value;
        } else {
          ++missing_strings_;
          annotation.name = names_.emplace_back("name " + std::to_string(field.value));
        }
        break;
      case annotation::kName:
        annotation.name = field.bytes;
        annotation.fact = own_fact(field.bytes);
        break;
      case annotation::kBool:
        number_of(field, FieldType::boolean);
        break;
      case annotation::kUint:
        number_of(field, FieldType::u64);
        break;
      case annotation::kInt:
        number_of(field, FieldType::i64);
        break;
      case annotation::kDouble:
        if (field.wire == protobuf::Wire::kFixed64) number_of(field, FieldType::f64);
        break;
      case annotation::kPointer:
        number_of(field, FieldType::pointer);
        break;
      case annotation::kString:
      case annotation::kJson:
        text_of(field, FieldType::string);
        break;
      case annotation::kProto:
        text_of(field, FieldType::bytes);
        break;
      case annotation::kStringIid: {
        annotation.type = FieldType::string;
        const InternedEntry* const entry = interned.find(Kind::kStringValue, field.value);
        if (entry == nullptr) ++missing_strings_;
        annotation.text = entry != nullptr ? std::string_view(entry->text) : std::string_view();
        break;
      }
      case annotation::kNested:
        annotation.nested = field.bytes;
        break;
      case annotation::kArrayValues:
        annotation.has_elements = field.is_bytes();
        break;
      case annotation::kDictionary:
        annotation.has_entries = field.is_bytes();
        break;
      default:
        break;
    }
  }
  return fields.is_sound();
}

bool Arguments::add(std::string_view message, const InternedEntries& interned) {
  Annotation annotation;
  if (!read(message, interned, annotation)) return false;
  if (annotation.fact == OwnFact::kNone) return put(annotation, interned, 0);
  take_own(annotation);
  return true;
}

void Arguments::take_own(const Annotation& annotation) {
  if (!own_.take(annotation.fact, annotation.number, annotation.text)) return;
  key_number(static_cast<char>(annotation.fact), annotation.number);
  key_number('t', annotation.text.size());
  key_.write(annotation.text);
}

bool Arguments::begin_field(std::string_view name, FieldType type) {
  if (fields_.size() == shm::kMaxFields) {
    ++left_out_;
    return false;
  }
  fields_.push_back({name.substr(0, kMostPerfettoNameBytes), type});
  return true;
}

bool Arguments::begin_field(const Annotation& annotation, FieldType type) {
  if (!begin_field(annotation.name, type)) return false;
  if (annotation.name_number != 0) {
    key_number(static_cast<char>(type), annotation.name_number);
  } else {
    key_number(static_cast<char>(type), 0);
    key_number('n', fields_.back().name.size());
    key_.write(fields_.back().name);
  }
  return true;
}

void Arguments::put_sized(std::string_view text) {
  const std::size_t used = values_.size();
  const std::size_t room =
      TraceBuilder::kMostGatheredBytes > used ? TraceBuilder::kMostGatheredBytes - used : 0;
  was_cut_ = was_cut_ || text.size() > room;
  text = text.substr(0, room);
  const auto bytes = static_cast<std::uint32_t>(text.size());
  append(&bytes, sizeof bytes);
  values_.write(text);
}

bool Arguments::put(const Annotation& annotation, const InternedEntries& interned, unsigned depth) {
  if (annotation.has_entries) {
    if (depth == kMostDepth) return put_json(annotation, interned);
    return put_dictionary(annotation, interned, depth);
  }
  if (!annotation.nested.empty()) return put_json(annotation, interned);
  // An annotation without a value is encoded like an empty array.
  if (annotation.has_elements || annotation.type == FieldType::none) {
    return put_array(annotation, interned);
  }
  if (!begin_field(annotation, annotation.type)) return true;
  if (annotation.is_text()) {
    put_sized(annotation.text);
  } else if (annotation.type == FieldType::boolean) {
    values_.put(static_cast<char>(annotation.number));
  } else {
    append(&annotation.number, sizeof annotation.number);
  }
  return true;
}

bool Arguments::put_dictionary(const Annotation& annotation, const InternedEntries& interned,
                               unsigned depth) {
  protobuf::Fields fields(annotation.message);
  for (protobuf::Field field; fields.next(field);) {
    if (field.number != annotation::kDictionary || !field.is_bytes()) continue;
    Annotation entry;
    if (!read(field.bytes, interned, entry)) return false;
    std::string name(annotation.name);
    name += '.';
    name += entry.name;
    entry.name = names_.emplace_back(name.substr(0, kMostPerfettoNameBytes));
    entry.name_number = 0;
    if (!put(entry, interned, depth + 1)) return false;
  }
  return true;
}

bool Arguments::put_array(const Annotation& annotation, const InternedEntries& interned) {
  elements_.clear();
  std::uint32_t count = 0;
  FieldType type = FieldType::none;
  protobuf::Fields fields(annotation.message);
  for (protobuf::Field field; fields.next(field);) {
    if (field.number != annotation::kArrayValues || !field.is_bytes()) continue;
    Annotation element;
    if (!read(field.bytes, interned, element)) return false;
    if (count == 0) type = element.type;
    if (element.type == FieldType::none || element.type != type) {
      return put_json(annotation, interned);
    }
    if (element.is_text()) {
      const auto bytes = static_cast<std::uint32_t>(element.text.size());
      elements_.write({reinterpret_cast<const char*>(&bytes), sizeof bytes});
      elements_.write(element.text);
    } else {
      elements_.write({reinterpret_cast<const char*>(&element.number), shm::fixed_size(type)});
    }
    ++count;
  }
  if (count == 0) type = FieldType::string;
  if (values_.size() + elements_.size() + sizeof count > TraceBuilder::kMostGatheredBytes) {
    was_cut_ = true;
    elements_.clear();
    count = 0;
  }
  if (!begin_field(annotation, shm::array_of(type))) return true;
  append(&count, sizeof count);
  values_.write(elements_.text());
  return true;
}

bool Arguments::put_json(const Annotation& annotation, const InternedEntries& interned) {
  trace::TextSink text;
  if (!append_json(text, annotation, interned, 0)) return false;
  if (begin_field(annotation, FieldType::string)) put_sized(text.text());
  return true;
}

bool Arguments::append_json(trace::TextSink& out, const Annotation& annotation,
                            const InternedEntries& interned, unsigned depth) {
  if (!annotation.nested.empty()) return append_nested_value(out, annotation.nested);
  const bool is_within = annotation.has_entries || annotation.has_elements;
  if (!is_within || depth == kMostDepth) {
    if (annotation.type == FieldType::none) {
      out.write("null");
    } else {
      trace::append_json_value(out, annotation.value());
    }
    return true;
  }
  const std::uint32_t kind =
      annotation.has_entries ? annotation::kDictionary : annotation::kArrayValues;
  out.put(annotation.has_entries ? '{' : '[');
  bool is_first = true;
  protobuf::Fields fields(annotation.message);
  for (protobuf::Field field; fields.next(field);) {
    if (field.number != kind || !field.is_bytes()) continue;
    if (!is_first) out.put(',');
    is_first = false;
    Annotation inner;
    if (!read(field.bytes, interned, inner)) return false;
    if (annotation.has_entries) {
      out.write(trace::quoted_json_text(inner.name));
      out.put(':');
    }
    if (!append_json(out, inner, interned, depth + 1)) return false;
  }
  out.put(annotation.has_entries ? '}' : ']');
  return true;
}

void Arguments::put_text(std::string_view name, std::string_view text) {
  if (!begin_field(name, FieldType::string)) return;
  key_number('x', name.size());
  key_.write(name);
  put_sized(text);
}

void Arguments::put_number(std::string_view name, FieldType type, std::uint64_t number) {
  if (!begin_field(name, type)) return;
  key_number('y', static_cast<std::uint64_t>(type) | name.size() << 8);
  key_.write(name);
  append(&number, sizeof number);
}

void Arguments::put_numbers(std::string_view name, const std::vector<std::uint64_t>& numbers) {
  const std::size_t bytes = numbers.size() * sizeof numbers[0];
  if (values_.size() + bytes + sizeof(std::uint32_t) > TraceBuilder::kMostGatheredBytes) {
    was_cut_ = true;
    return;
  }
  if (!begin_field(name, shm::array_of(FieldType::u64))) return;
  key_number('z', name.size());
  key_.write(name);
  const auto count = static_cast<std::uint32_t>(numbers.size());
  append(&count, sizeof count);
  append(numbers.data(), bytes);
}

}  // namespace ringside::tool::perfetto
