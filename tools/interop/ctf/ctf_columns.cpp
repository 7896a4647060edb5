#include "tools/interop/ctf/ctf_columns.hpp"

#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "shm-layout/field_type_name.hpp"
#include "tools/interop/ctf/ctf_names.hpp"

namespace ringside::tool::ctf {
namespace {

using shm::FieldType;

// Names of a longer range of an enumeration are left out.
constexpr std::uint64_t kMostNamesOfRange = 64;
constexpr std::size_t kMostEnumNames = 4096;

FieldType number_type(const Node& node) {
  if (node.kind == TypeKind::kFloat) return node.bits == 32 ? FieldType::f32 : FieldType::f64;
  if (node.kind == TypeKind::kEnum) return FieldType::enumeration;
  if (node.type->is_boolean) return FieldType::boolean;
  if (node.bits == 64 && node.base == 16 && !node.is_signed) return FieldType::pointer;
  const unsigned step = node.bits <= 8 ? 0 : node.bits <= 16 ? 1 : node.bits <= 32 ? 2 : 3;
  const FieldType first = node.is_signed ? FieldType::i8 : FieldType::u8;
  return static_cast<FieldType>(shm::code(first) + step);
}

bool is_number(const Node& node) {
  return node.kind == TypeKind::kInteger || node.kind == TypeKind::kEnum ||
         node.kind == TypeKind::kFloat;
}

bool is_array(const Node& node) {
  return node.kind == TypeKind::kArray || node.kind == TypeKind::kSequence;
}

const Type* named_type(const Node& node) {
  return node.kind == TypeKind::kEnum ? node.type : nullptr;
}

class Flattening {
 public:
  Flattening(std::vector<Column>& columns, std::uint32_t& next) : columns_(columns), next_(next) {}

  void add(Node& node, const std::string& name) {
    if (node.kind == TypeKind::kStruct) {
      for (std::size_t i = 0; i < node.children.size(); ++i) {
        Node& child = node.children[i];
        if (i + 1 < node.children.size() && is_length(child, node.children[i + 1])) continue;
        const std::string inner(plain_name(child.name));
        add(child, name.empty() ? inner : fmt::format("{}.{}", name, inner));
      }
    } else if (is_number(node)) {
      take(node, name, number_type(node), ColumnMode::kNumber).names = named_type(node);
    } else if (node.kind == TypeKind::kString) {
      take(node, name, FieldType::string, ColumnMode::kText);
    } else if (is_array(node) && is_number(node.children.front())) {
      const Node& element = node.children.front();
      if (element.is_text && element.bits == 8) {
        take(node, name, FieldType::string, ColumnMode::kText);
      } else {
        const FieldType type = shm::array_of(number_type(element));
        take(node, name, type, ColumnMode::kElements).names = named_type(element);
      }
    } else if (is_array(node) && node.children.front().kind == TypeKind::kString) {
      take(node, name, shm::array_of(FieldType::string), ColumnMode::kElements);
    } else {
      take(node, name, FieldType::string, ColumnMode::kRendered);
    }
  }

 private:
  // Whether `node` is the count before a sequence, which the sequence itself contains too.
  static bool is_length(const Node& node, const Node& behind) {
    if (behind.kind == TypeKind::kSequence && behind.type->location != nullptr) {
      return behind.type->location->path.back() == node.name &&
             plain_name(node.name) == fmt::format("_{}_length", plain_name(behind.name));
    }
    return behind.kind == TypeKind::kSequence && behind.type->reference == node.name &&
           node.name == "_" + behind.name + "_length";
  }

  Column& take(Node& node, const std::string& name, FieldType type, ColumnMode mode) {
    node.column = next_++;
    node.mode = mode;
    Column& column = columns_.emplace_back();
    column.field.name = name.empty() ? "value" : name;
    column.field.type = type;
    column.index = node.column;
    return column;
  }

  std::vector<Column>& columns_;
  std::uint32_t& next_;
};

std::optional<FieldType> type_named(const std::string& name) {
  for (unsigned code = 1; code <= shm::kLastFieldType; ++code) {
    const auto type = static_cast<FieldType>(code);
    if (shm::name(type) == name) return type;
    if (shm::name(shm::array_of(type)) == name) return shm::array_of(type);
  }
  return {};
}

bool is_integer(const Node& node, std::uint32_t bits) {
  return (node.kind == TypeKind::kInteger || node.kind == TypeKind::kEnum) && node.bits == bits;
}

// Whether a record stores the node's value as it stores a value of `type`.
bool holds(const Node& node, FieldType type) {
  switch (type) {
    case FieldType::f32:
    case FieldType::f64:
      return node.kind == TypeKind::kFloat && node.bits == 8 * shm::fixed_size(type);
    case FieldType::i128:
    case FieldType::u128:
    case FieldType::f80:
      return node.kind == TypeKind::kStruct && node.children.size() == 2 &&
             is_integer(node.children[0], 64) &&
             is_integer(node.children[1], type == FieldType::f80 ? 16 : 64);
    case FieldType::string:
    case FieldType::bytes:  // in an array
      return node.kind == TypeKind::kString;
    case FieldType::none:
      return false;
    default:
      return is_integer(node, static_cast<std::uint32_t>(8 * shm::fixed_size(type)));
  }
}

ColumnMode mode_of(FieldType type) {
  const FieldType element = shm::element_type(type);
  if (element == FieldType::i128 || element == FieldType::u128 || element == FieldType::f80) {
    return ColumnMode::kHalves;
  }
  if (type == shm::array_of(FieldType::bytes)) return ColumnMode::kHexStrings;
  return shm::is_array(type) || type == FieldType::bytes ? ColumnMode::kElements
                                                         : ColumnMode::kNumber;
}

template <std::size_t N>
std::optional<std::uint8_t> index_of(const std::array<std::string_view, N>& names,
                                     const std::string& name) {
  for (std::size_t i = 0; i < N; ++i) {
    if (names[i] == name) return static_cast<std::uint8_t>(i);
  }
  return {};
}

std::optional<shm::Level> level_named(const std::string& name) {
  for (std::uint8_t level = 0; level <= static_cast<std::uint8_t>(shm::Level::kCritical); ++level) {
    if (shm::level_name(static_cast<shm::Level>(level)) == name)
      return static_cast<shm::Level>(level);
  }
  return {};
}

// Throws as nlohmann's at() and get() do if a member is missing or has another type.
bool site_of(const nlohmann::json& json, SiteDefinition& site) {
  const auto kind = index_of(kKindNames, json.at("kind").get<std::string>());
  const auto style = index_of(kStyleNames, json.at("style").get<std::string>());
  const auto level = level_named(json.at("level").get<std::string>());
  if (!kind || *kind == 0 || !style || !level) return false;
  site.kind = static_cast<shm::SiteKind>(*kind);
  site.style = static_cast<shm::FormatStyle>(*style);
  site.level = *level;
  site.keywords = json.at("keywords").get<std::uint64_t>();
  site.line = json.at("line").get<std::uint32_t>();
  for (const auto& [key, member] : {std::pair("name", &site.name),
                                    {"category", &site.category},
                                    {"format", &site.format},
                                    {"file", &site.file},
                                    {"function", &site.function}}) {
    *member = json.at(key).get<std::string>();
  }
  return true;
}

bool take_extensions(Node& fields, std::size_t at, EventFacts& facts, LayoutMaker& maker,
                     std::uint32_t& next) {
  for (const ExtensionField& extension : kExtensionFields) {
    if ((facts.ext_flags & extension.flag) == 0) continue;
    if (at == fields.children.size()) return false;
    Node& node = fields.children[at++];
    if (extension.bytes == 16) {
      if (node.kind != TypeKind::kArray || node.length != 16 ||
          !is_integer(node.children.front(), 8))
        return false;
      node.mode = ColumnMode::kElements;
      (extension.flag == shm::kExtActivity ? facts.activity : facts.related) = node.column = next++;
      continue;
    }
    if (!is_integer(node, 8 * extension.bytes)) return false;
    const std::uint32_t slot = maker.slot_of(fields, node.name);
    if (extension.flag == shm::kExtSubstream) facts.substream = slot;
    if (extension.flag == shm::kExtStack) facts.stack = slot;
    if (extension.flag == shm::kExtDuration) facts.duration = slot;
  }
  return at == fields.children.size();
}

bool take_facts(const nlohmann::json& json, Node& fields, LayoutMaker& maker, std::uint32_t& next,
                EventFacts& facts) {
  if (!site_of(json, facts.site)) return false;
  std::size_t at = 0;
  for (const nlohmann::json& told : json.at("fields")) {
    const auto type = type_named(told.at("type").get<std::string>());
    if (!type || at == fields.children.size()) return false;
    const bool counted = shm::is_array(*type) || *type == FieldType::bytes;
    if (counted && (!is_integer(fields.children[at], 32) || ++at == fields.children.size()))
      return false;
    Node& node = fields.children[at++];
    if (counted && node.kind != TypeKind::kSequence) return false;
    const Node& held = counted ? node.children.front() : node;
    if (*type == FieldType::bytes ? !is_integer(held, 8) : !holds(held, shm::element_type(*type)))
      return false;
    node.column = next++;
    node.mode = mode_of(*type);
    Column& column = facts.columns.emplace_back();
    column.index = node.column;
    column.field.name = told.at("name").get<std::string>();
    column.field.type = *type;
    column.field.is_format_argument = told.contains("format_argument");
    column.is_constant = told.contains("constant");
    column.names = named_type(held);
  }
  facts.ext_flags = json.at("extensions").get<std::uint32_t>() & shm::kExtKnownFlags;
  return facts.columns.size() <= shm::kMaxFields && take_extensions(fields, at, facts, maker, next);
}

void forget_columns(Node& node) {
  node.column = kNone;
  node.mode = ColumnMode::kNumber;
  for (Node& child : node.children) forget_columns(child);
}

}  // namespace

void add_names(const Type& enumeration, FieldDefinition& field) {
  for (const EnumRange& range : enumeration.ranges) {
    if (range.last - range.first >= kMostNamesOfRange) continue;
    for (std::uint64_t i = 0; i <= range.last - range.first; ++i) {
      if (field.enum_names.size() == kMostEnumNames) return;
      field.enum_names.emplace_back(static_cast<std::int64_t>(range.first + i), range.label);
    }
  }
}

std::vector<Column> columns_of(Node& structure, const std::string& prefix, std::uint32_t& next) {
  std::vector<Column> columns;
  Flattening(columns, next).add(structure, prefix);
  return columns;
}

std::optional<EventFacts> facts_of_event(const std::string& json, Node& fields, LayoutMaker& maker,
                                         std::uint32_t& next) {
  EventFacts facts;
  try {
    const nlohmann::json parsed = nlohmann::json::parse(json);
    if (take_facts(parsed, fields, maker, next, facts)) return facts;
  } catch (const nlohmann::json::exception&) {
    // Treated as no facts: another tool has changed the trace.
  }
  forget_columns(fields);
  return {};
}

}  // namespace ringside::tool::ctf
