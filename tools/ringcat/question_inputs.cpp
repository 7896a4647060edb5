#include "tools/ringcat/question_inputs.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "tools/ringcat/foreign_files.hpp"

namespace ringside::tool {

int QuestionInputs::worst_exit_code() const {
  return std::max(complain_of(foreign.diagnostics()), fleet.exit_code());
}

bool take_question_inputs(QuestionOptions& options, const std::string& from,
                          const FleetOptions& fleet, QuestionInputs& inputs) {
  std::vector<std::string>& words = options.words;
  const std::size_t sites = options.gap.empty() ? 1 : 0;
  const auto first_path =
      words.begin() + static_cast<std::ptrdiff_t>(std::min(sites, words.size()));
  std::vector<std::string> paths(first_path, words.end());
  if (!inputs.fleet.take(paths, fleet)) return false;
  if (!take_foreign_files(paths, from, inputs.foreign)) return false;
  words.erase(first_path, words.end());
  words.insert(words.end(), paths.begin(), paths.end());
  return true;
}

}  // namespace ringside::tool
