#pragma once
// Files of other formats among the paths of `ringcat agg` and `ringcat hist`.

#include <string>

#include "tools/interop/foreign_inputs.hpp"
#include "tools/query/question.hpp"

namespace ringside::tool {

// Replaces them by paths that can be read as long as `inputs` lives. If one cannot be read at all,
// reports that and returns false.
bool take_question_inputs(QuestionOptions& options, const std::string& from, ForeignInputs& inputs);

}  // namespace ringside::tool
