#pragma once
// What a command of ringcat printed, as one JSON object of bounded size.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tools/processes/bounded_command.hpp"

namespace ringside::tool {

enum class AnswerShape : std::uint8_t {
  kDocument,  // one object: it stays what it is
  kLines,     // an object per line: they become an array
  kLosses,    // `ringcat stats --lost-only`: the causes with their meaning
};

struct AnswerForm {
  AnswerShape shape = AnswerShape::kDocument;
  std::string_view array = {};    // of kLines: its name
  std::size_t most_elements = 0;  // of kLines; 0: all. One more, if printed, only shows that more
                                  // exist
  bool keeps_last = false;        // of kLines: the last ones rather than the first ones
};

// An object with these members beside those of the command: `has_more` (whether anything was left
// out), `left_out` (how much of which array, if that is known), `cut_texts` (how many texts were
// cut), `notes` (what the command reported). Nothing with `*why` if the output is not JSON, or
// cannot be bounded.
std::optional<std::string> mcp_answer(const CommandResult& result, const AnswerForm& form,
                                      std::size_t most_bytes, std::string* why);

}  // namespace ringside::tool
