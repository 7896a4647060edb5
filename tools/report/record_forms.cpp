#include "tools/report/record_forms.hpp"

#include <array>
#include <string_view>

#include "shm-layout/plain_expression.hpp"
#include "trace-format/condition/field_name.hpp"
#include "trace-format/lines/field_keys.hpp"
#include "trace-format/lines/json_text.hpp"

namespace ringside::tool {
namespace {

using shm::FieldType;

// What a condition does with values of a type.
std::string_view sort_of(const trace::Field& field) {
  if (field.is_array) return "array";
  switch (field.type) {
    case FieldType::boolean:
      return "boolean";
    case FieldType::character:
      return "character";
    case FieldType::enumeration:
      return "enumeration";
    case FieldType::string:
      return "text";
    case FieldType::bytes:
      return "bytes";
    case FieldType::pointer:
      return "pointer";
    case FieldType::f32:
      return "f32";
    case FieldType::f64:
      return "f64";
    case FieldType::f80:
      return "f80";
    case FieldType::none:
      return "array";
    default:
      return "integer";
  }
}

std::string member(std::string_view name, std::string_view text) {
  return ",\"" + std::string(name) + "\":" + trace::quoted_json_text(text);
}

// Names of enumerations' values to their numbers, as texts: numbers of JavaScript have 53 bits.
std::string names_json(const trace::EnumTable& table) {
  std::string out;
  for (const auto& [number, name] : table.names) {
    out += out.empty() ? "{" : ",";
    out += trace::quoted_json_text(name) + ":\"" + std::to_string(number) + "\"";
  }
  return out.empty() ? "{}" : out + "}";
}

std::string form_json(const trace::Site& site, bool is_context) {
  const std::vector<std::string> keys = trace::field_keys(site, trace::json_text);
  std::string out = "[";
  for (std::size_t i = 0; i < site.fields.size(); ++i) {
    const trace::Field& field = site.fields[i];
    const std::string_view plain = shm::plain_expression(field.name);
    const std::string_view brief = trace::short_field_name(plain);
    if (i != 0) out += ',';
    out += "{\"sort\":\"" + std::string(sort_of(field)) + "\"" + member("name", field.name);
    if (plain != field.name) out += member("plain", plain);
    if (brief != plain) out += member("short", brief);
    // Keys are JSON already.
    if (!is_context && keys[i] != trace::json_text(field.name))
      out += ",\"key\":\"" + keys[i] + "\"";
    if (field.type == FieldType::enumeration && field.enum_table != nullptr)
      out += ",\"numbers\":" + names_json(*field.enum_table);
    out += '}';
  }
  return out + "]";
}

}  // namespace

std::int32_t RecordForms::of(const trace::Site* site, std::uint32_t section) {
  return find(site, section, false);
}

std::int32_t RecordForms::of_context(const trace::Site* site, std::uint32_t section) {
  return find(site, section, true);
}

std::int32_t RecordForms::find(const trace::Site* site, std::uint32_t section, bool is_context) {
  if (site == nullptr) return kNone;
  if (sites_.size() >= kMostSites) sites_.clear();
  const auto [known, is_new] = sites_.try_emplace(Key{site, section}, kNone);
  if (!is_new) return known->second;
  std::string form = form_json(*site, is_context);
  const auto found = numbers_.find(form);
  if (found != numbers_.end()) return known->second = found->second;
  if (forms_.size() >= kMostForms) return kNone;
  const auto number = static_cast<std::int32_t>(forms_.size());
  forms_.push_back(&numbers_.emplace(std::move(form), number).first->first);
  return known->second = number;
}

}  // namespace ringside::tool
