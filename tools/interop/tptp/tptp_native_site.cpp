#include "tools/interop/tptp/tptp_native_site.hpp"

#include <cstring>

namespace ringside::tool::tptp {
namespace {

void take_texts(const trace::Value& value, std::vector<std::string_view>& texts) {
  std::string_view rest = value.text;
  for (std::uint32_t i = 0; i < value.count; ++i) {
    std::uint32_t bytes = 0;
    if (rest.size() < sizeof bytes) return;
    std::memcpy(&bytes, rest.data(), sizeof bytes);
    rest.remove_prefix(sizeof bytes);
    if (rest.size() < bytes) return;
    texts.push_back(rest.substr(0, bytes));
    rest.remove_prefix(bytes);
  }
}

void take_numbers(const trace::Value& value, std::vector<std::int64_t>& numbers) {
  numbers.resize(value.text.size() / sizeof(std::int64_t));
  if (!numbers.empty()) {
    std::memcpy(numbers.data(), value.text.data(), numbers.size() * sizeof(std::int64_t));
  }
}

}  // namespace

shm::FieldType field_type_of(const MessageType& type, std::size_t attribute) {
  if (attribute == type.time || attribute == type.depth) return shm::FieldType::none;
  switch (type.attributes[attribute].type) {
    case AttributeType::kByte:
      return shm::FieldType::i8;
    case AttributeType::kInteger:
      return shm::FieldType::i32;
    case AttributeType::kLong:
      return shm::FieldType::i64;
    case AttributeType::kText:
      return shm::FieldType::string;
    case AttributeType::kTexts:
      return shm::array_of(shm::FieldType::string);
    case AttributeType::kLongs:
      return shm::array_of(shm::FieldType::i64);
  }
  return shm::FieldType::none;
}

SiteDefinition definition_of(const MessageType& type) {
  SiteDefinition site;
  site.name = type.tag;
  site.category = kCategory;
  site.format = type.tag;
  for (std::size_t i = 0; i < type.attributes.size(); ++i) {
    const shm::FieldType field = field_type_of(type, i);
    if (field == shm::FieldType::none) continue;
    site.fields.push_back({.name = std::string(type.attributes[i].xml), .type = field});
  }
  return site;
}

const MessageType* native_type_of(const trace::Site& site) {
  if (site.category != kCategory) return nullptr;
  // Spans have the names of their methods.
  const bool is_call =
      site.kind == shm::SiteKind::kSpan && site.format == find_message_type(kMethodEntryId)->tag;
  if (site.kind != shm::SiteKind::kEvent && !is_call) return nullptr;
  const MessageType* const type = find_message_type(is_call ? site.format : site.name);
  if (type == nullptr) return nullptr;
  std::size_t at = 0;
  for (std::size_t i = 0; i < type->attributes.size(); ++i) {
    const shm::FieldType wanted = field_type_of(*type, i);
    if (wanted == shm::FieldType::none) continue;
    if (at == site.fields.size()) return nullptr;
    const trace::Field& field = site.fields[at++];
    const shm::FieldType is = field.is_array ? shm::array_of(field.type) : field.type;
    if (is != wanted || field.name != type->attributes[i].xml) return nullptr;
  }
  return at == site.fields.size() ? type : nullptr;
}

void take_native(const MessageType& type, std::span<const trace::Value> args, std::uint64_t unix_ns,
                 Message& message) {
  message.start(type);
  std::size_t at = 0;
  for (std::size_t i = 0; i < type.attributes.size(); ++i) {
    const shm::FieldType field = field_type_of(type, i);
    if (field == shm::FieldType::none) continue;
    const trace::Value& value = args[at++];
    if (field == shm::FieldType::string) {
      message.texts[i] = value.text;
    } else if (field == shm::array_of(shm::FieldType::string)) {
      take_texts(value, message.frame_methods);
    } else if (shm::is_array(field)) {
      take_numbers(value, message.frame_lines);
    } else {
      message.numbers[i] = value.i64;
    }
  }
  // A record of another origin can have more of one than of the other.
  message.frame_lines.resize(message.frame_methods.size());
  if (type.depth != MessageType::kNone) {
    message.numbers[type.depth] = static_cast<std::int64_t>(message.frame_methods.size());
  }
  message.set_time(unix_ns);
}

}  // namespace ringside::tool::tptp
