#pragma once
// Files of other formats, and traces of a fleet, among the paths of `ringcat agg` and `ringcat
// hist`.

#include <string>

#include "tools/interop/foreign_inputs.hpp"
#include "tools/query/question.hpp"
#include "tools/ringcat/fleet_inputs.hpp"

namespace ringside::tool {

// The traces of a question, which can be read as long as this object lives.
struct QuestionInputs {
  FleetInputs fleet;
  ForeignInputs foreign;

  // Reports what was unusual about them.
  int worst_exit_code() const;
};

// Replaces them by paths that can be read. If one cannot be read at all, reports that and returns
// false.
bool take_question_inputs(QuestionOptions& options, const std::string& from,
                          const FleetOptions& fleet, QuestionInputs& inputs);

}  // namespace ringside::tool
