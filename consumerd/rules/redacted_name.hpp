#pragma once
// Whether a redaction rule covers a field, judged by the field's name.

#include <optional>
#include <string>
#include <string_view>

#include "consumerd/rules/record_rules.hpp"

namespace ringside::consumer {

// Why `rule` hides fields of this name, for the operator; nothing if it does not. The name of a
// printf statement's field is its argument expression. The rule matches if a glob matches the whole
// expression or any identifier in it, string literals included; the case of letters is ignored.
// When the expression does not show all of its parts, every rule matches.
std::optional<std::string> why_redacted(const RedactionRule& rule, std::string_view field_name);

}  // namespace ringside::consumer
