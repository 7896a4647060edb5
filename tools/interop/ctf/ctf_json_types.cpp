#include "tools/interop/ctf/ctf_json_types.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

namespace ringside::tool::ctf {
namespace {

constexpr std::size_t kMostFieldClasses = 500'000;
constexpr std::uint32_t kMagicBits = 32;
constexpr std::uint64_t kUuidBytes = 16;

constexpr std::array<std::pair<std::string_view, Role>, kRoles> kRoleNames{{
    {"packet-magic-number", Role::kMagic},
    {"metadata-stream-uuid", Role::kUuid},
    {"data-stream-class-id", Role::kStreamClassId},
    {"data-stream-id", Role::kStreamId},
    {"packet-total-length", Role::kTotalBits},
    {"packet-content-length", Role::kContentBits},
    {"packet-end-default-clock-timestamp", Role::kEndTimestamp},
    {"discarded-event-record-counter-snapshot", Role::kDiscarded},
    {"packet-sequence-number", Role::kSequence},
    {"default-clock-timestamp", Role::kTimestamp},
    {"event-record-class-id", Role::kEventClassId},
}};

TypePointer byte_type(bool is_text) {
  auto type = std::make_shared<Type>();
  type->bits = 8;
  type->align_bits = 8;
  type->is_text = is_text;
  type->is_json = true;
  return type;
}

}  // namespace

bool JsonTypes::add_alias(JsonValue fragment) {
  std::string name = JsonProperties(fragment, why_).text("name", {});
  TypePointer type = make(fragment.member("field-class"));
  if (type == nullptr || !why_.empty()) return false;
  if (!aliases_.try_emplace(std::move(name), std::move(type)).second)
    fail("a second field class alias of the same name");
  return why_.empty();
}

TypePointer JsonTypes::fail(std::string why) {
  if (why_.empty()) why_ = std::move(why);
  return nullptr;
}

TypePointer JsonTypes::make_root(JsonValue field_class) {
  TypePointer type = make(field_class);
  if (type != nullptr && type->kind != TypeKind::kStruct)
    return fail("a root field class is not a structure");
  return why_.empty() ? type : nullptr;
}

TypePointer JsonTypes::make(JsonValue field_class) {
  if (!why_.empty()) return nullptr;
  if (++made_ > kMostFieldClasses) return fail("more than half a million field classes");
  if (field_class.is_text()) {
    const auto alias = aliases_.find(field_class.node().text);
    if (alias == aliases_.end()) {
      return fail(fmt::format("no field class alias '{}' before its use", field_class.node().text));
    }
    return alias->second;
  }
  if (!field_class.is_object()) return fail("a field class is missing");
  JsonProperties properties(field_class, why_);
  const std::string type = properties.text("type", {});
  properties.refuse_extensions();
  if (properties.failed()) return nullptr;
  if (type.starts_with("fixed-length-")) {
    return type == "fixed-length-floating-point-number" ? make_float(field_class)
                                                        : make_integer(field_class, type);
  }
  if (type == "variable-length-unsigned-integer") return make_variable_integer(field_class, false);
  if (type == "variable-length-signed-integer") return make_variable_integer(field_class, true);
  if (type.ends_with("-string")) return make_string(field_class, type);
  if (type == "static-length-blob") return make_blob(field_class, true);
  if (type == "dynamic-length-blob") return make_blob(field_class, false);
  if (type == "static-length-array") return make_array(field_class, true);
  if (type == "dynamic-length-array") return make_array(field_class, false);
  if (type == "structure") return make_structure(field_class);
  if (type == "variant") return make_variant(field_class);
  if (type == "optional") return make_optional(field_class);
  return fail(fmt::format("unknown field class type '{}'", type));
}

bool JsonTypes::take_bits(JsonValue field_class, Type& type) {
  JsonProperties properties(field_class, why_);
  const std::uint64_t bits = properties.natural("length", {}, 1);
  type.align_bits = properties.alignment("alignment");
  const std::string order = properties.text("byte-order", {});
  const bool is_big = order == "big-endian";
  const std::string_view usual = is_big ? "last-to-first" : "first-to-last";
  const std::string bit_order = properties.text("bit-order", usual);
  if (properties.failed()) return false;
  if (bits > 64) fail(fmt::format("a length of {} bits; 1 to 64 are supported", bits));
  if (!is_big && order != "little-endian") fail(fmt::format("invalid byte order '{}'", order));
  if (bit_order != "last-to-first" && bit_order != "first-to-last")
    fail(fmt::format("invalid bit order '{}'", bit_order));
  type.is_json = true;
  type.bits = static_cast<std::uint32_t>(bits);
  type.order = is_big ? ByteOrder::kBig : ByteOrder::kLittle;
  type.is_reversed = bit_order != usual;
  return why_.empty();
}

bool JsonTypes::take_ranges(JsonValue ranges, const std::string& label, Type& type) {
  bool sound = ranges.is_array();
  if (sound) {
    const std::size_t before = type.ranges.size();
    ranges.for_each([&](JsonValue range) {
      std::array<JsonNode, 2> ends;
      std::size_t count = 0;
      if (range.is_array()) {
        range.for_each([&](JsonValue end) {
          if (count < 2) ends[count] = end.node();
          ++count;
        });
      }
      const auto& [first, last] = ends;
      const bool is_negative = first.kind == JsonKind::kSigned;
      sound = sound && count == 2 && first.is_integer() && last.is_integer() &&
              (first.kind == last.kind ? first.low <= last.low : is_negative);
      if (sound) type.ranges.push_back({first.low, last.low, label});
    });
    sound = sound && type.ranges.size() != before;
  }
  if (!sound) fail("invalid integer ranges");
  return sound;
}

bool JsonTypes::take_roles(JsonValue field_class, Type& type) {
  const JsonValue roles = JsonProperties(field_class, why_).array("roles");
  if (!roles) return why_.empty();
  roles.for_each([&](JsonValue role) {
    const auto* const known = std::find_if(
        kRoleNames.begin(), kRoleNames.end(),
        [&](const auto& one) { return role.is_text() && one.first == role.node().text; });
    if (!role.is_text()) fail("a role is not a string");
    if (known != kRoleNames.end()) type.roles |= bit_of(known->second);
  });
  const bool is_blob = type.element != nullptr;
  if ((type.roles & bit_of(Role::kMagic)) != 0 && (is_blob || type.bits != kMagicBits))
    fail("a packet magic number that does not have 32 bits");
  if ((type.roles & bit_of(Role::kUuid)) != 0 && (!is_blob || type.length != kUuidBytes))
    fail("a metadata stream UUID that is not a BLOB of 16 bytes");
  if (is_blob && (type.roles & ~bit_of(Role::kUuid)) != 0) fail("a BLOB with an integer's role");
  if (type.is_signed && type.roles != 0) fail("a signed integer with a role");
  return why_.empty();
}

bool JsonTypes::take_number(JsonValue field_class, Type& type) {
  JsonProperties properties(field_class, why_);
  type.is_selector = true;
  type.base = static_cast<std::uint32_t>(properties.natural("preferred-display-base", 10, 2));
  const JsonValue mappings = properties.object("mappings");
  if (properties.failed()) return false;
  if (mappings) {
    mappings.for_each(
        [&](JsonValue ranges) { take_ranges(ranges, std::string(ranges.node().key), type); });
    if (!type.ranges.empty()) type.kind = TypeKind::kEnum;
  }
  return take_roles(field_class, type);
}

TypePointer JsonTypes::make_integer(JsonValue field_class, std::string_view type_name) {
  auto type = std::make_shared<Type>();
  if (!take_bits(field_class, *type)) return nullptr;
  if (type_name == "fixed-length-boolean") {
    type->is_boolean = type->is_selector = true;
  } else if (type_name == "fixed-length-bit-array" || type_name == "fixed-length-bit-map") {
    type->base = 16;
  } else if (type_name == "fixed-length-unsigned-integer" ||
             type_name == "fixed-length-signed-integer") {
    type->is_signed = type_name == "fixed-length-signed-integer";
    if (!take_number(field_class, *type)) return nullptr;
  } else {
    return fail(fmt::format("unknown field class type '{}'", type_name));
  }
  return type;
}

TypePointer JsonTypes::make_variable_integer(JsonValue field_class, bool is_signed) {
  auto type = std::make_shared<Type>();
  type->is_json = type->is_variable = true;
  type->bits = 64;
  type->align_bits = 8;
  type->is_signed = is_signed;
  return take_number(field_class, *type) ? type : nullptr;
}

TypePointer JsonTypes::make_float(JsonValue field_class) {
  auto type = std::make_shared<Type>();
  if (!take_bits(field_class, *type)) return nullptr;
  if (type->bits != 32 && type->bits != 64)
    return fail(fmt::format("floating-point numbers of {} bits are not supported", type->bits));
  type->kind = TypeKind::kFloat;
  return type;
}

bool JsonTypes::take_encoding(JsonValue field_class, Type& type) {
  const std::string encoding = JsonProperties(field_class, why_).text("encoding", "utf-8");
  type.is_json = true;
  type.align_bits = 8;
  type.unit_bytes = encoding.starts_with("utf-16") ? 2 : encoding.starts_with("utf-32") ? 4 : 1;
  type.order = encoding.ends_with("be") ? ByteOrder::kBig : ByteOrder::kLittle;
  if (encoding != "utf-8" && encoding != "utf-16le" && encoding != "utf-16be" &&
      encoding != "utf-32le" && encoding != "utf-32be") {
    fail(fmt::format("unknown encoding '{}'", encoding));
  }
  return why_.empty();
}

TypePointer JsonTypes::make_string(JsonValue field_class, std::string_view type_name) {
  auto type = std::make_shared<Type>();
  if (!take_encoding(field_class, *type)) return nullptr;
  if (type_name == "null-terminated-string") {
    type->kind = TypeKind::kString;
    return type;
  }
  const bool is_static = type_name == "static-length-string";
  if (!is_static && type_name != "dynamic-length-string")
    return fail(fmt::format("unknown field class type '{}'", type_name));
  type->element = byte_type(true);
  return take_length(field_class, is_static, *type) ? type : nullptr;
}

TypePointer JsonTypes::make_blob(JsonValue field_class, bool is_static) {
  auto type = std::make_shared<Type>();
  type->is_json = true;
  type->align_bits = 8;
  type->element = byte_type(false);
  if (!take_length(field_class, is_static, *type)) return nullptr;
  return !is_static || take_roles(field_class, *type) ? type : nullptr;
}

}  // namespace ringside::tool::ctf
