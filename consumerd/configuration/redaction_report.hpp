#pragma once
// Shows what redaction rules would do: which fields of which statements each one hides.

#include <string>
#include <vector>

#include "consumerd/rules/record_rules.hpp"

namespace ringside::consumer {

// Prints, rule by rule, what `rules` hide of the statements in `paths` (see visit_statements) to
// standard output, and errors to standard error. Returns the exit status.
int report_redactions(const std::vector<RedactionRule>& rules,
                      const std::vector<std::string>& paths);

}  // namespace ringside::consumer
