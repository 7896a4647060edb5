#include "trace-format/condition/field_name.hpp"

#include <algorithm>
#include <initializer_list>

#include "shm-layout/plain_expression.hpp"

namespace ringside::trace {
namespace {

bool is_identifier_part(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

}  // namespace

std::string_view short_field_name(std::string_view name) {
  for (const std::string_view call : {".c_str()", ".data()", "()"}) {
    if (name.ends_with(call)) {
      name.remove_suffix(call.size());
      break;
    }
  }
  std::size_t begin = name.size();
  while (begin > 0 && is_identifier_part(name[begin - 1])) --begin;
  name.remove_prefix(begin);
  return name;
}

namespace {

// The only field for which `has_name` is true.
template <class HasName>
std::optional<std::size_t> only_field(const Site& site, HasName has_name) {
  std::optional<std::size_t> found;
  std::size_t of_that_name = 0;
  for (std::size_t i = 0; i < site.fields.size(); ++i) {
    if (!has_name(site.fields[i].name)) continue;
    found = i;
    ++of_that_name;
  }
  return of_that_name == 1 ? found : std::nullopt;
}

// Also for names with conversions: in a condition, and as earlier libraries stored them.
bool is_plain_name(std::string_view field_name, std::string_view name) {
  return !name.empty() && shm::plain_expression(field_name) == shm::plain_expression(name);
}

bool is_short_name(std::string_view field_name, std::string_view name) {
  return !name.empty() && short_field_name(shm::plain_expression(field_name)) == name;
}

}  // namespace

std::optional<std::size_t> find_field(const Site& site, std::string_view name) {
  for (std::size_t i = 0; i < site.fields.size(); ++i) {
    if (site.fields[i].name == name) return i;
  }
  const auto plain =
      only_field(site, [&](std::string_view field) { return is_plain_name(field, name); });
  if (plain) return plain;
  return only_field(site, [&](std::string_view field) { return is_short_name(field, name); });
}

bool has_field(const Site& site, std::string_view name) {
  return std::any_of(site.fields.begin(), site.fields.end(), [&](const Field& field) {
    return field.name == name || is_plain_name(field.name, name) || is_short_name(field.name, name);
  });
}

}  // namespace ringside::trace
