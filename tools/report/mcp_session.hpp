#pragma once
// A server of the Model Context Protocol, for one client: one JSON object per line
// (https://modelcontextprotocol.io/specification/2025-06-18, "stdio").

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "tools/report/bounded_command.hpp"

namespace ringside::tool {

// Not thread-safe.
class McpSession {
 public:
  // Runs ringcat with arguments. False with `*why` if it cannot be started.
  using Run = std::function<bool(const std::vector<std::string>& arguments, CommandResult& result,
                                 std::string* why)>;

  static constexpr std::size_t kMostLineBytes = std::size_t{1} << 20;

  McpSession(std::vector<std::string> paths, std::string version, Run run)
      : paths_(std::move(paths)), version_(std::move(version)), run_(std::move(run)) {}

  // The answer to a line, without its end; none for a notification. Whatever the line is.
  std::optional<std::string> answer(std::string_view line);

 private:
  nlohmann::json answer_request(const std::string& method, const nlohmann::json& parameters);
  nlohmann::json initialise(const nlohmann::json& parameters) const;
  nlohmann::json call(const nlohmann::json& parameters);

  const std::vector<std::string> paths_;
  const std::string version_;
  const Run run_;
};

}  // namespace ringside::tool
