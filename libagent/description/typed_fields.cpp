#include "libagent/description/typed_fields.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "libagent/description/literal_value.hpp"
#include "libagent/description/part_names.hpp"
#include "libagent/description/placeholder_expansion.hpp"
#include "libagent/include/ringside/signature.hpp"

namespace ringside {
namespace {

// Names of 255 fields and a format of 64 KiB, several times: memory is not used again. Only what is
// used takes memory.
alignas(std::max_align_t) constinit std::array<std::byte, std::size_t{4} << 20U> fields_place{};

}  // namespace

TypedFields::TypedFields()
    : memory_(fields_place.data(), fields_place.size()), fields_(&memory_), format_(&memory_) {}

bool TypedFields::read(const rs_site& site, std::string_view format, std::string_view arguments,
                       std::span<const std::string_view> names) {
  const rs_signature& signature = *site.signature;
  std::pmr::vector<ExpandedArgument> expanded(&memory_);
  std::pmr::vector<std::size_t> argument_of_field(&memory_);
  fields_.reserve(RS_MAX_FIELDS);
  expanded.reserve(RS_MAX_FIELDS);
  argument_of_field.reserve(RS_MAX_FIELDS);
  for (std::size_t i = 0; i < signature.argument_count; ++i) {
    const std::size_t first = fields_.size();
    add_fields(signature.shapes[i], std::pmr::string(names[i], &memory_));
    argument_of_field.resize(fields_.size(), i);
    if (fields_.size() > signature.count) return false;
    expanded.push_back(
        {names[i], signature.shapes[i], first, detail::field_type(signature.types[first])});
  }
  if (fields_.size() != signature.count) return false;
  make_distinct();
  if (site.style == RS_STYLE_BRACE) {
    format_ = expand_placeholders(format, expanded, memory_);
  } else {
    format_ = format;
  }
  return read_constants(signature, arguments, argument_of_field);
}

void TypedFields::add_fields(const rs_shape* shape, const std::pmr::string& name) {
  if (shape == nullptr || shape->parts == nullptr) {
    fields_.push_back({std::pmr::string(cut_name(name), &memory_),
                       {},
                       false,
                       shape != nullptr ? shape->enumeration : nullptr});
    return;
  }
  PartNames parts(*shape);
  for (std::uint32_t i = 0; i < shape->part_count; ++i) {
    std::pmr::string part_name(name, &memory_);
    part_name.append(name.empty() ? "" : ".").append(parts.next());
    add_fields(shape->parts[i], part_name);
  }
}

bool TypedFields::read_constants(const rs_signature& signature, std::string_view arguments,
                                 std::span<const std::size_t> argument_of_field) {
  const auto is_constant = [](std::uint8_t type) { return (type & RS_CONSTANT_FIELD) != 0; };
  const std::span types(signature.types, signature.count);
  if (std::ranges::none_of(types, is_constant)) return true;
  std::array<std::string_view, RS_MAX_FIELDS> texts;
  const auto used = std::span(texts).first(signature.argument_count);
  if (!split_arguments(arguments, used)) return false;
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    if (!is_constant(types[i])) continue;
    const std::string_view literal = literal_text(used[argument_of_field[i]]);
    std::optional<std::string> value = literal_value(literal, detail::field_type(types[i]));
    if (!value) return false;
    fields_[i].constant = std::move(*value);
    fields_[i].is_constant = true;
  }
  return true;
}

// The first field keeps a name that several have: one of p, and p.x beside it.
void TypedFields::make_distinct() {
  const auto is_taken = [this](std::size_t end, std::string_view name) {
    return std::any_of(fields_.begin(), fields_.begin() + static_cast<std::ptrdiff_t>(end),
                       [name](const Field& field) { return field.name == name; });
  };
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    const std::pmr::string base(fields_[i].name, &memory_);
    for (std::size_t number = 2; is_taken(i, fields_[i].name); ++number) {
      const std::string suffix = "_" + std::to_string(number);  // short: it does not allocate
      fields_[i].name = cut_name(base, shm::kMaxFieldNameBytes - suffix.size());
      fields_[i].name += suffix;
    }
  }
}

void TypedFields::describe(std::span<shm::FieldDescription> fields) const {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    fields[i].name = fields_[i].name;
    if (!fields_[i].is_constant) continue;
    fields[i].flags |= shm::kFieldConstant;
    fields[i].constant = fields_[i].constant;
  }
}

}  // namespace ringside
