// Field classes of CTF 2 that consist of others.

#include <array>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "tools/interop/ctf/ctf_json_types.hpp"

namespace ringside::tool::ctf {
namespace {

constexpr unsigned kMostHeight = 60;
constexpr std::size_t kMostPathNames = 200;

constexpr std::array<std::string_view, 6> kOrigins{
    "packet-header",
    "packet-context",
    "event-record-header",
    "event-record-common-context",
    "event-record-specific-context",
    "event-record-payload",
};

// Readers remove one leading underscore from names of CTF 1.8: see Type.
std::string member_name(std::string_view name) {
  return name.starts_with('_') ? "_" + std::string(name) : std::string(name);
}

}  // namespace

bool JsonTypes::rise(const Type& part, Type& type) {
  type.height = std::max(type.height, static_cast<std::uint8_t>(part.height + 1));
  return type.height <= kMostHeight || refuse("field classes are nested more than 60 deep");
}

bool JsonTypes::take_location(JsonValue location, Type& type) {
  if (!location.is_object()) return refuse("a field location is missing");
  JsonProperties properties(location, why_);
  auto made = std::make_shared<FieldLocation>();
  made->origin = properties.text("origin", "");
  const JsonValue path = properties.array("path");
  if (properties.failed()) return false;
  bool sound = path && (!location.member("origin") || std::find(kOrigins.begin(), kOrigins.end(),
                                                                made->origin) != kOrigins.end());
  if (path) {
    path.for_each([&](JsonValue name) {
      sound = sound && (name.is_text() || name.is_null());
      if (name.is_text()) {
        made->path.emplace_back(member_name(name.node().text));
      } else {
        made->path.emplace_back();
      }
    });
  }
  if (made->path.size() > kMostPathNames) return refuse("a field location has more than 200 names");
  if (!sound || made->path.empty() || !made->path.back())
    return refuse("a field location without a known origin and a path to a field");
  type.location = std::move(made);
  return true;
}

bool JsonTypes::take_length(JsonValue field_class, bool is_static, Type& type) {
  type.kind = is_static ? TypeKind::kArray : TypeKind::kSequence;
  if (!is_static) return take_location(field_class.member("length-field-location"), type);
  type.length = JsonProperties(field_class, why_).natural("length", {});
  return why_.empty();
}

TypePointer JsonTypes::make_array(JsonValue field_class, bool is_static) {
  auto type = std::make_shared<Type>();
  type->is_json = true;
  type->align_bits = JsonProperties(field_class, why_).alignment("minimum-alignment");
  if (!take_length(field_class, is_static, *type)) return nullptr;
  type->element = make(field_class.member("element-field-class"));
  if (type->element == nullptr || !rise(*type->element, *type)) return nullptr;
  type->align_bits = std::max(type->align_bits, type->element->align_bits);
  return type;
}

TypePointer JsonTypes::make_structure(JsonValue field_class) {
  auto type = std::make_shared<Type>();
  type->kind = TypeKind::kStruct;
  type->is_json = true;
  JsonProperties properties(field_class, why_);
  type->align_bits = properties.alignment("minimum-alignment");
  const JsonValue members = properties.array("member-classes");
  if (properties.failed()) return nullptr;
  if (!members) return type;
  std::set<std::string> names;
  members.for_each([&](JsonValue member) {
    std::string name = JsonProperties(member, why_).text("name", {});
    TypePointer made = make(member.member("field-class"));
    if (made == nullptr || !rise(*made, *type)) return;
    if (!names.insert(name).second) fail(fmt::format("two members of the name '{}'", name));
    type->align_bits = std::max(type->align_bits, made->align_bits);
    type->members.push_back({member_name(name), std::move(made)});
  });
  return why_.empty() ? type : nullptr;
}

TypePointer JsonTypes::make_variant(JsonValue field_class) {
  auto type = std::make_shared<Type>();
  type->kind = TypeKind::kVariant;
  type->is_json = true;
  if (!take_location(field_class.member("selector-field-location"), *type)) return nullptr;
  const JsonValue options = JsonProperties(field_class, why_).array("options");
  if (!options) return fail("a variant without options");
  options.for_each([&](JsonValue option) {
    // Names of options are optional and have no meaning.
    std::string name = std::to_string(type->members.size());
    TypePointer made = make(option.member("field-class"));
    if (made == nullptr || !rise(*made, *type) ||
        !take_ranges(option.member("selector-field-ranges"), name, *type)) {
      return;
    }
    type->members.push_back({std::move(name), std::move(made)});
  });
  if (type->members.empty()) fail("a variant without options");
  return why_.empty() ? type : nullptr;
}

// A variant of the field and of nothing.
TypePointer JsonTypes::make_optional(JsonValue field_class) {
  auto type = std::make_shared<Type>();
  type->kind = TypeKind::kVariant;
  type->is_json = true;
  if (!take_location(field_class.member("selector-field-location"), *type)) return nullptr;
  TypePointer made = make(field_class.member("field-class"));
  if (made == nullptr || !rise(*made, *type)) return nullptr;
  auto nothing = std::make_shared<Type>();
  nothing->kind = TypeKind::kStruct;
  nothing->is_json = true;
  type->members = {{"value", std::move(made)}, {"none", std::move(nothing)}};
  const JsonValue ranges = field_class.member("selector-field-ranges");
  if (ranges) {
    if (!take_ranges(ranges, "value", *type)) return nullptr;
    type->ranges.push_back({0, UINT64_MAX, "none"});
  } else {
    type->is_boolean = true;  // the selector must be a boolean
    type->ranges = {{0, 0, "none"}, {1, UINT64_MAX, "value"}};
  }
  return type;
}

}  // namespace ringside::tool::ctf
