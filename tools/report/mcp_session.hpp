#pragma once
// The messages of a server of the Model Context Protocol, for one client: one JSON object per line
// (https://modelcontextprotocol.io/specification/2025-06-18, "stdio").

#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "tools/processes/bounded_command.hpp"
#include "tools/report/mcp_tools.hpp"

namespace ringside::tool {

// A question that a process has to answer.
struct McpCall {
  std::string id;  // of the request, as JSON
  McpQuestion question;
};

// What a line of the client leads to: one of these, or nothing.
struct McpReaction {
  std::optional<std::string> answer = {};  // a line, without its end
  std::optional<McpCall> call = {};
  std::optional<std::string> cancelled = {};  // the id of a call, as JSON
};

// Not thread-safe.
class McpSession {
 public:
  static constexpr std::size_t kMostLineBytes = std::size_t{1} << 20;

  McpSession(std::string version, std::size_t most_answer_bytes)
      : version_(std::move(version)), most_answer_bytes_(most_answer_bytes) {}

  // Whatever the line is.
  McpReaction take(std::string_view line) const;

  // The line that answers a call: with what the process printed, or that there is no answer.
  std::string answer_of(const McpCall& call, const CommandResult& result) const;
  static std::string failure_of(const McpCall& call, const std::string& why);

 private:
  McpReaction take_request(const nlohmann::json& message, const nlohmann::json& id) const;
  nlohmann::json initialise(const nlohmann::json& parameters) const;

  const std::string version_;
  const std::size_t most_answer_bytes_;
};

}  // namespace ringside::tool
