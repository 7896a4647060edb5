#include "tools/interop/ctf/ctf_event_class.hpp"

#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "shm-layout/field_type_name.hpp"
#include "shm-layout/level.hpp"
#include "shm-layout/record_head.hpp"
#include "tools/interop/ctf/ctf_names.hpp"
#include "trace-format/lines/hex_digits.hpp"
#include "trace-format/text/array_elements.hpp"

namespace ringside::tool::ctf {

using shm::FieldType;

const std::string_view kTypeAliases =
    R"(typealias integer { size = 8; align = 8; signed = false; } := uint8_t;
typealias integer { size = 16; align = 8; signed = false; } := uint16_t;
typealias integer { size = 32; align = 8; signed = false; } := uint32_t;
typealias integer { size = 64; align = 8; signed = false; } := uint64_t;
typealias integer { size = 8; align = 8; signed = true; } := int8_t;
typealias integer { size = 16; align = 8; signed = true; } := int16_t;
typealias integer { size = 32; align = 8; signed = true; } := int32_t;
typealias integer { size = 64; align = 8; signed = true; } := int64_t;
typealias integer { size = 8; align = 8; signed = false; base = 16; } := byte_t;
typealias integer { size = 64; align = 8; signed = false; base = 16; } := pointer_t;
typealias floating_point { exp_dig = 8; mant_dig = 24; align = 8; } := float32_t;
typealias floating_point { exp_dig = 11; mant_dig = 53; align = 8; } := float64_t;
typealias struct { uint64_t low; int64_t high; } := int128_t;
typealias struct { uint64_t low; uint64_t high; } := uint128_t;
typealias struct { uint64_t mantissa; uint16_t sign_exponent; } := float80_t;
)";

namespace {

std::string_view alias_of(FieldType element) {
  switch (element) {
    case FieldType::boolean:
    case FieldType::character:
    case FieldType::u8:
      return "uint8_t";
    case FieldType::u16:
      return "uint16_t";
    case FieldType::u32:
      return "uint32_t";
    case FieldType::u64:
      return "uint64_t";
    case FieldType::i8:
      return "int8_t";
    case FieldType::i16:
      return "int16_t";
    case FieldType::i32:
      return "int32_t";
    case FieldType::i64:
    case FieldType::enumeration:
      return "int64_t";
    case FieldType::i128:
      return "int128_t";
    case FieldType::u128:
      return "uint128_t";
    case FieldType::f32:
      return "float32_t";
    case FieldType::f64:
      return "float64_t";
    case FieldType::f80:
      return "float80_t";
    case FieldType::pointer:
      return "pointer_t";
    case FieldType::string:
    case FieldType::bytes:  // in arrays: hexadecimal digits; tools fail on sequences of sequences
    case FieldType::none:
      break;
  }
  return "string";
}

std::string type_of(const trace::Field& field) {
  const bool named = field.type == FieldType::enumeration && field.enum_table != nullptr &&
                     !field.enum_table->names.empty();
  if (!named) return std::string(alias_of(field.type));
  std::string text = "enum : int64_t { ";
  bool first = true;
  for (const auto& [value, name] : field.enum_table->names) {
    text += fmt::format("{}{} = {}", first ? "" : ", ", quoted_tsdl(name), value);
    first = false;
  }
  return text + " }";
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Makes a unique identifier for each field. The leading underscore, which readers remove, keeps it
// from being a keyword.
class Identifiers {
 public:
  // `counted`: length_of() the identifier is an identifier, too.
  std::string make(std::string_view name, bool counted) {
    std::string identifier = "_";
    for (const char c : name) identifier += is_letter(c) ? c : '_';
    if (identifier.size() == 1) identifier += "field";
    std::string unique = identifier;
    for (unsigned i = 2; is_taken(unique) || (counted && is_taken(length_of(unique))); ++i)
      unique = fmt::format("{}_{}", identifier, i);
    taken_.insert(unique);
    if (counted) taken_.insert(length_of(unique));
    return unique;
  }

  static std::string length_of(const std::string& identifier) {
    return "_" + identifier + "_length";
  }

 private:
  // babeltrace2 confuses a name with one that it derived from another by removing its underscore.
  bool is_taken(const std::string& identifier) const {
    return taken_.contains(identifier) || taken_.contains("_" + identifier) ||
           taken_.contains(identifier.substr(1));
  }

  std::set<std::string> taken_;
};

void declare_field(const trace::Field& field, Identifiers& identifiers, std::string& fields) {
  const bool counted = field.is_array || field.type == FieldType::bytes;
  const std::string name = identifiers.make(field.name, counted);
  if (!counted) {
    fields += fmt::format("    {} {};\n", type_of(field), name);
    return;
  }
  const std::string element = field.is_array ? type_of(field) : "byte_t";
  fields += fmt::format("    uint32_t {2};\n    {1} {0}[{2}];\n", name, element,
                        Identifiers::length_of(name));
}

std::string json_text(const nlohmann::ordered_json& json) {
  // ASCII without control characters, which TSDL's literals can always carry.
  return json.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace);
}

std::string facts_of(const trace::Site& site, std::uint32_t ext_flags) {
  nlohmann::ordered_json facts;
  facts["name"] = site.name;
  facts["kind"] = name_of_kind(site.kind);
  facts["level"] = shm::level_name(site.level);
  facts["category"] = site.category;
  facts["keywords"] = site.keywords;
  facts["style"] = name_of_style(static_cast<shm::FormatStyle>(site.style));
  facts["format"] = site.format;
  facts["file"] = site.file;
  facts["line"] = site.line;
  facts["function"] = site.function;
  facts["extensions"] = ext_flags;
  auto& fields = facts["fields"] = nlohmann::ordered_json::array();
  for (const trace::Field& field : site.fields) {
    nlohmann::ordered_json f;
    f["name"] = field.name;
    f["type"] = shm::name(field.is_array ? shm::array_of(field.type) : field.type);
    if (field.is_constant()) f["constant"] = true;
    if ((field.flags & shm::kFieldFormatArg) != 0) f["format_argument"] = true;
    fields.push_back(std::move(f));
  }
  return json_text(facts);
}

void append_bytes(const void* bytes, std::size_t count, std::string& packet) {
  packet.append(static_cast<const char*>(bytes), count);
}

void append_counted(std::string_view text, std::string& packet) {
  const auto count = static_cast<std::uint32_t>(text.size());
  append_bytes(&count, sizeof count, packet);
  packet += text;
}

void append_array(const trace::Value& value, std::string& packet, ConversionReport& report) {
  append_bytes(&value.count, sizeof value.count, packet);
  const std::size_t at = packet.size() - sizeof value.count;
  const FieldType element = shm::element_type(value.type);
  if (shm::fixed_size(element) != 0) {
    const auto held = static_cast<std::uint32_t>(value.text.size() / shm::fixed_size(element));
    if (held != value.count)
      packet.replace(at, sizeof held, reinterpret_cast<const char*>(&held), sizeof held);
    packet += value.text.substr(0, held * shm::fixed_size(element));
    return;
  }
  trace::ArrayElements elements(value);
  std::uint32_t held = 0;
  for (trace::Value text; elements.next(text); ++held) {
    if (element == FieldType::string) {
      append_text(text.text, packet, report);
    } else {
      for (const char c : text.text) {
        packet += trace::kHexDigits[static_cast<unsigned char>(c) >> 4];
        packet += trace::kHexDigits[static_cast<unsigned char>(c) & 15];
      }
      packet += '\0';
    }
  }
  if (held != value.count)
    packet.replace(at, sizeof held, reinterpret_cast<const char*>(&held), sizeof held);
}

void append_value(const trace::Value& value, std::string& packet, ConversionReport& report) {
  if (shm::is_array(value.type)) return append_array(value, packet, report);
  switch (value.type) {
    case FieldType::string:
      return append_text(value.text, packet, report);
    case FieldType::bytes:
      return append_counted(value.text, packet);
    case FieldType::f32:
      return append_bytes(&value.f32, sizeof value.f32, packet);
    default:
      break;
  }
  const std::uint64_t halves[2]{value.u64, value.high};
  append_bytes(halves, shm::fixed_size(value.type), packet);
}

}  // namespace

std::string quoted_tsdl(std::string_view text) {
  std::string literal = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      literal += '\\';
      literal += c;
    } else if (static_cast<unsigned char>(c) < ' ' || c == '\x7F') {
      literal += fmt::format("\\{:03o}", static_cast<unsigned>(c));
    } else {
      literal += c;
    }
  }
  return literal + '"';
}

void append_text(std::string_view text, std::string& packet, ConversionReport& report) {
  const std::size_t nul = text.find('\0');
  if (nul != std::string_view::npos) {
    report.lost("strings are truncated at their first NUL byte, which ends strings in CTF");
    text = text.substr(0, nul);
  }
  packet += text;
  packet += '\0';
}

EventDeclaration declare_event(const trace::Site& site, std::uint32_t ext_flags) {
  EventDeclaration declaration;
  declaration.facts = facts_of(site, ext_flags);
  std::string& body = declaration.body;
  body = fmt::format("  name = {};\n", quoted_tsdl(event_name_of(site)));
  body += "  stream_id = 0;\n";
  if (site.level != shm::Level::kNone) {
    body += fmt::format("  loglevel = {};\n", loglevel_of(site.level));
  }
  body += "  fields := struct {\n";
  Identifiers identifiers;
  for (const trace::Field& field : site.fields) declare_field(field, identifiers, body);
  for (const ExtensionField& extension : kExtensionFields) {
    if ((ext_flags & extension.flag) == 0) continue;
    body += fmt::format("    {} {}{};\n", extension.type, identifiers.make(extension.name, false),
                        extension.bytes == 16 ? "[16]" : "");
  }
  body += "  };\n";
  return declaration;
}

void append_payload(const trace::Site& site, const trace::Record& record, std::uint64_t duration_ns,
                    std::string& packet, ConversionReport& report) {
  const std::size_t fields = site.fields.size();
  for (std::size_t i = 0; i < fields; ++i) append_value(record.args[i], packet, report);
  const std::uint32_t flags = record.ext_flags;
  if (flags == 0) [[likely]]
    return;
  if ((flags & shm::kExtSubstream) != 0) append_bytes(&record.substream, 8, packet);
  if ((flags & shm::kExtActivity) != 0) append_bytes(record.activity.data(), 16, packet);
  if ((flags & shm::kExtRelatedActivity) != 0) append_bytes(record.related.data(), 16, packet);
  if ((flags & shm::kExtStack) != 0) append_bytes(&record.stack_id, 4, packet);
  if ((flags & shm::kExtDuration) != 0) append_bytes(&duration_ns, 8, packet);
  if ((flags & shm::kExtCut) != 0) packet += '\1';
}

}  // namespace ringside::tool::ctf
