#include "trace-format/condition/field_name.hpp"

#include <algorithm>
#include <initializer_list>

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

std::optional<std::size_t> find_field(const Site& site, std::string_view name) {
  std::optional<std::size_t> found;
  std::size_t of_that_short_name = 0;
  for (std::size_t i = 0; i < site.fields.size(); ++i) {
    if (site.fields[i].name == name) return i;
    if (short_field_name(site.fields[i].name) != name || name.empty()) continue;
    found = i;
    ++of_that_short_name;
  }
  return of_that_short_name == 1 ? found : std::nullopt;
}

bool has_field(const Site& site, std::string_view name) {
  return std::any_of(site.fields.begin(), site.fields.end(), [&](const Field& field) {
    return field.name == name || short_field_name(field.name) == name;
  });
}

}  // namespace ringside::trace
