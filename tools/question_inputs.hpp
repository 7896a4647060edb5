#pragma once
// Foreign files among the paths of `ringcat agg` and `ringcat hist`.

#include <string>

#include "tools/interop/foreign_inputs.hpp"
#include "tools/question.hpp"

namespace ringside::tool {

// Replaces them by what can be read as long as `inputs` lives. False if one cannot be read at all,
// which has been said then.
bool take_question_inputs(QuestionOptions& options, const std::string& from, ForeignInputs& inputs);

}  // namespace ringside::tool
