#pragma once
// The questions that a program can ask about a trace by the Model Context Protocol.

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace ringside::tool {

// As `tools/list` states them: names, descriptions, and the schemas of the arguments.
nlohmann::json mcp_tools();

// The arguments of ringcat that answer a call of the tool, without the paths of the traces. Each
// value is a part of one option, so that no value is taken for an option. False with `*why` if
// there is no such tool, or if an argument is missing, unknown or of another type.
bool mcp_command(const std::string& tool, const nlohmann::json& arguments,
                 std::vector<std::string>& command, std::string* why);

}  // namespace ringside::tool
