#include "tools/interop/json/json_record.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>

#include "shm-layout/dictionary_entry.hpp"
#include "trace-format/text/array_elements.hpp"

namespace ringside::tool {
namespace {

using shm::FieldType;

struct JsonKeyHead {
  std::uint64_t keywords = 0;
  std::uint32_t line = 0;
  std::uint8_t kind = 0;
  std::uint8_t level = 0;
  std::uint8_t style = 0;
  std::uint8_t zero = 0;
};
static_assert(sizeof(JsonKeyHead) == 16);

void append_key_text(std::string& key, std::string_view text) {
  const auto bytes = static_cast<std::uint32_t>(text.size());
  key.append(reinterpret_cast<const char*>(&bytes), sizeof bytes);
  key += text;
}

std::string_view take_key_text(std::string_view& key) {
  std::uint32_t bytes = 0;
  std::memcpy(&bytes, key.data(), sizeof bytes);
  const std::string_view text = key.substr(sizeof bytes, bytes);
  key.remove_prefix(sizeof bytes + bytes);
  return text;
}

// In ringcat's form; ringcat writes all other floating-point numbers as numbers.
std::optional<double> json_special(const JsonNode& node) {
  JsonNode number;
  const bool is_one =
      node.is_text() && (node.text == "NaN" || node.text == "Infinity" || node.text == "-Infinity");
  if (!is_one || !parse_json_number(node.text, number)) return {};
  return number.floating;
}

double floating_of(const JsonNode& node) {
  if (const auto special = json_special(node)) return *special;
  switch (node.kind) {
    case JsonKind::kUnsigned:
      return static_cast<double>(node.low);
    case JsonKind::kSigned:
      return static_cast<double>(static_cast<std::int64_t>(node.low));
    default:
      return node.floating;
  }
}

// Finds the type that all integers of an array fit in.
struct JsonIntegers {
  bool has_negative = false;
  bool has_beyond_i64 = false;
  bool has_large = false;
  bool has_beyond_i128 = false;

  void see(const JsonNode& node) {
    has_negative = has_negative || node.kind == JsonKind::kSigned || node.is_negative;
    has_large = has_large || node.kind == JsonKind::kLarge;
    const bool tops = node.kind == JsonKind::kUnsigned && node.low >> 63 != 0;
    has_beyond_i64 = has_beyond_i64 || tops || node.kind == JsonKind::kLarge;
    has_beyond_i128 = has_beyond_i128 ||
                      (node.kind == JsonKind::kLarge && !node.is_negative && node.high >> 63 != 0);
  }
  // none: there is no such type.
  FieldType type() const {
    if (!has_beyond_i64) return FieldType::i64;
    if (!has_negative) return has_large ? FieldType::u128 : FieldType::u64;
    return has_beyond_i128 ? FieldType::none : FieldType::i128;
  }
};

FieldType array_type(const JsonTree& tree, std::uint32_t index) {
  std::uint32_t count = 0;
  std::uint32_t texts = 0;
  std::uint32_t specials = 0;
  std::uint32_t bools = 0;
  std::uint32_t integers = 0;
  std::uint32_t floatings = 0;
  JsonIntegers range;
  tree.for_each_in(index, [&](std::uint32_t i) {
    const JsonNode& node = tree.nodes()[i];
    ++count;
    texts += node.is_text() ? 1U : 0U;
    specials += json_special(node) ? 1U : 0U;
    bools += node.kind == JsonKind::kBool ? 1U : 0U;
    floatings += node.kind == JsonKind::kFloating ? 1U : 0U;
    if (node.is_integer() || node.kind == JsonKind::kLarge) {
      ++integers;
      range.see(node);
    }
  });
  if (texts == count) return FieldType::string;
  if (bools == count) return FieldType::boolean;
  if (integers == count) return range.type();
  const bool is_floating = floatings != 0 && floatings + specials + integers == count;
  return is_floating && !range.has_large ? FieldType::f64 : FieldType::none;
}

// "0x2a", ringcat's form of pointers.
std::optional<std::uint64_t> pointer_of(const JsonNode& node) {
  if (!node.is_text() || !node.text.starts_with("0x")) return {};
  std::uint64_t address = 0;
  const char* const end = node.text.data() + node.text.size();
  const auto read = std::from_chars(node.text.data() + 2, end, address, 16);
  if (read.ec != std::errc() || read.ptr != end) return {};
  return address;
}

bool integer_fits(FieldType type, const JsonNode& node) {
  const std::size_t bits = 8 * shm::fixed_size(type);
  if (!node.is_integer() || bits == 0 || bits > 64) return false;
  if (shm::is_signed(type)) {
    const auto number = static_cast<std::int64_t>(node.low);
    if (node.kind == JsonKind::kUnsigned && number < 0) return false;
    const std::int64_t most = static_cast<std::int64_t>(UINT64_MAX >> (65 - bits));
    return number >= -most - 1 && number <= most;
  }
  return node.kind == JsonKind::kUnsigned && node.low <= UINT64_MAX >> (64 - bits);
}

}  // namespace

void JsonRecord::begin(const JsonHead& head) {
  const JsonKeyHead fixed{head.keywords, head.line, static_cast<std::uint8_t>(head.kind),
                          static_cast<std::uint8_t>(head.level),
                          static_cast<std::uint8_t>(head.style)};
  key_.assign(reinterpret_cast<const char*>(&fixed), sizeof fixed);
  for (const std::string_view text :
       {head.name, head.category, head.format, head.file, head.function}) {
    append_key_text(key_, text);
  }
  fields_at_ = key_.size();
  values_.clear();
  fields_ = left_out_ = nulls_ = 0;
}

bool JsonRecord::open_field(std::string_view name, FieldType type, bool is_format_argument) {
  if (fields_ == shm::kMaxFields) {
    ++left_out_;
    return false;
  }
  ++fields_;
  key_ += static_cast<char>(shm::code(type));
  key_ += is_format_argument ? '\1' : '\0';
  append_key_text(key_, name);
  return true;
}

void JsonRecord::put_element(FieldType type, const JsonNode& node) {
  switch (type) {
    case FieldType::boolean:
      return put(static_cast<std::uint8_t>(node.low));
    case FieldType::f64:
      return put(floating_of(node));
    case FieldType::string:
      return put_text(node.text);
    case FieldType::i128:
    case FieldType::u128: {
      const bool is_negative = node.kind == JsonKind::kSigned;
      put(node.low);
      return put(node.kind == JsonKind::kLarge ? node.high : is_negative ? UINT64_MAX : 0);
    }
    default:
      return put(node.low);
  }
}

void JsonRecord::add_text(std::string_view name, std::string_view text) {
  if (open_field(name, FieldType::string)) put_text(text);
}

void JsonRecord::add_value(std::string_view name, const trace::Value& value) {
  if (!open_field(name, value.type)) return;
  if (shm::is_array(value.type)) {
    put(value.count);
    values_ += value.text;
  } else if (shm::is_variable_length(value.type)) {
    put_text(value.text);
  } else {
    const std::uint64_t halves[] = {value.u64, value.high};
    values_.append(reinterpret_cast<const char*>(halves), shm::fixed_size(value.type));
  }
}

void JsonRecord::add_array(std::string_view name, const JsonTree& tree, std::uint32_t index) {
  const FieldType type = array_type(tree, index);
  if (type == FieldType::none) return add_text(name, tree.nodes()[index].text);
  if (!open_field(name, shm::array_of(type))) return;
  const std::size_t at = values_.size();
  std::uint32_t count = 0;
  put(count);
  tree.for_each_in(index, [&](std::uint32_t i) {
    put_element(type, tree.nodes()[i]);
    ++count;
  });
  std::memcpy(values_.data() + at, &count, sizeof count);
}

void JsonRecord::add(std::string_view name, const JsonTree& tree, std::uint32_t index) {
  const JsonNode& node = tree.nodes()[index];
  switch (node.kind) {
    case JsonKind::kNull:
      ++nulls_;
      return;
    case JsonKind::kString:
      return add_text(name, node.text);
    case JsonKind::kArray:
      return add_array(name, tree, index);
    case JsonKind::kObject: {
      if (node.end == index + 1) return add_text(name, node.text);
      std::string inner(name);
      inner += '.';
      const std::size_t prefix = inner.size();
      return tree.for_each_in(index, [&](std::uint32_t i) {
        inner.replace(prefix, std::string::npos, tree.nodes()[i].key);
        add(inner, tree, i);
      });
    }
    case JsonKind::kBool:
      if (open_field(name, FieldType::boolean)) put_element(FieldType::boolean, node);
      return;
    case JsonKind::kFloating:
      if (open_field(name, FieldType::f64)) put_element(FieldType::f64, node);
      return;
    default: {
      JsonIntegers range;
      range.see(node);
      if (open_field(name, range.type())) put_element(range.type(), node);
    }
  }
}

bool JsonRecord::add_as(FieldType type, bool is_format_argument, std::string_view name,
                        const JsonNode& node) {
  const auto open = [&] { return open_field(name, type, is_format_argument); };
  switch (type) {
    case FieldType::string:
      if (!node.is_text()) return false;
      if (open()) put_text(node.text);
      return true;
    case FieldType::character:
      if (!node.is_text() || node.text.size() != 1) return false;
      if (open()) put(node.text.front());
      return true;
    case FieldType::pointer: {
      const auto address = pointer_of(node);
      if (address && open()) put(*address);
      return address.has_value();
    }
    case FieldType::f32:
    case FieldType::f64: {
      if (node.kind != JsonKind::kFloating && !json_special(node)) return false;
      const double number = floating_of(node);
      if (open()) type == FieldType::f64 ? put(number) : put(static_cast<float>(number));
      return true;
    }
    default:
      if (!shm::is_integer(type) || !integer_fits(type, node)) return false;
      if (open()) {
        values_.append(reinterpret_cast<const char*>(&node.low), shm::fixed_size(type));
      }
      return true;
  }
}

JsonRecord::Field JsonRecord::take_field(std::string_view& names) {
  Field field;
  field.type = static_cast<FieldType>(names[0]);
  field.is_format_argument = names[1] != '\0';
  names.remove_prefix(2);
  field.name = take_key_text(names);
  return field;
}

trace::Value JsonRecord::take_value(FieldType type, std::string_view& values) {
  if (!shm::is_array(type)) {
    trace::Value value;
    trace::ArrayElements one(trace::Value::of_array(shm::array_of(type), values, 1));
    one.next(value);
    const bool has_length = shm::is_variable_length(type);
    values.remove_prefix(has_length ? sizeof(std::uint32_t) + value.text.size()
                                    : shm::fixed_size(type));
    return value;
  }
  std::uint32_t count = 0;
  std::memcpy(&count, values.data(), sizeof count);
  values.remove_prefix(sizeof count);
  const std::string_view begin = values;
  const FieldType element = shm::element_type(type);
  if (shm::is_variable_length(element)) {
    for (std::uint32_t i = 0; i < count; ++i) take_key_text(values);
  } else {
    values.remove_prefix(count * shm::fixed_size(element));
  }
  return trace::Value::of_array(type, begin.substr(0, begin.size() - values.size()), count);
}

SiteDefinition JsonRecord::definition() const {
  std::string_view key = key_;
  JsonKeyHead fixed;
  std::memcpy(&fixed, key.data(), sizeof fixed);
  key.remove_prefix(sizeof fixed);
  SiteDefinition site;
  site.kind = static_cast<shm::SiteKind>(fixed.kind);
  site.level = static_cast<shm::Level>(fixed.level);
  site.style = static_cast<shm::FormatStyle>(fixed.style);
  site.keywords = fixed.keywords;
  site.line = fixed.line;
  for (std::string* text : {&site.name, &site.category, &site.format, &site.file, &site.function}) {
    *text = take_key_text(key);
  }
  while (!key.empty()) {
    const Field field = take_field(key);
    site.fields.push_back({.name = std::string(field.name),
                           .type = field.type,
                           .is_format_argument = field.is_format_argument});
  }
  return site;
}

}  // namespace ringside::tool
