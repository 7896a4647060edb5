#pragma once
// The questions that a program can ask about a trace by the Model Context Protocol.

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "tools/report/mcp_answer.hpp"

namespace ringside::tool {

// As `tools/list` states them: names, descriptions, and the schemas of the arguments.
nlohmann::json mcp_tools();

struct McpQuestion {
  std::vector<std::string> command;  // arguments of ringcat, without the paths of the traces
  AnswerForm form;
};

// The question of a call of the tool. Each value is a part of one option, so that no value is taken
// for an option. Nothing with `*why` if there is no such tool, or if an argument is missing,
// unknown, empty, too long or of another type.
std::optional<McpQuestion> mcp_question(const std::string& tool, const nlohmann::json& arguments,
                                        std::string* why);

}  // namespace ringside::tool
