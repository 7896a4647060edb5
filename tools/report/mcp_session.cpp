#include "tools/report/mcp_session.hpp"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "tools/report/mcp_tools.hpp"

namespace ringside::tool {
namespace {

using nlohmann::json;

// JSON-RPC 2.0, section 5.1.
constexpr int kParseError = -32700;
constexpr int kInvalidRequest = -32600;
constexpr int kMethodNotFound = -32601;
constexpr int kInvalidParameters = -32602;

// Of the protocol, the newest first.
constexpr std::string_view kVersions[] = {"2025-06-18", "2025-03-26", "2024-11-05"};

struct RpcError {
  int code;
  std::string message;
};

std::string line_of(const json& message) {
  return message.dump(-1, ' ', true, json::error_handler_t::replace);
}

std::string failure(const json& id, const RpcError& error) {
  return line_of({{"jsonrpc", "2.0"},
                  {"id", id},
                  {"error", {{"code", error.code}, {"message", error.message}}}});
}

json text_result(const std::string& text, bool is_error) {
  return {{"content", json::array({{{"type", "text"}, {"text", text}}})}, {"isError", is_error}};
}

// Up to the last whole line.
std::string whole_lines(const std::string& text) {
  const std::size_t end = text.rfind('\n');
  return end == std::string::npos ? text : text.substr(0, end + 1);
}

}  // namespace

std::optional<std::string> McpSession::answer(std::string_view line) {
  if (line.size() > kMostLineBytes)
    return failure(nullptr, {kInvalidRequest, "the line has more than 1 MiB"});
  const json message = json::parse(line, nullptr, false);
  if (message.is_discarded()) return failure(nullptr, {kParseError, "the line is not JSON"});
  const auto id = message.is_object() ? message.find("id") : message.end();
  const auto method = message.is_object() ? message.find("method") : message.end();
  if (!message.is_object() || method == message.end() || !method->is_string())
    return failure(nullptr, {kInvalidRequest, "a request is an object with a method"});
  if (id == message.end()) return std::nullopt;
  // It is sent back: another value could be nested without a bound.
  if (!id->is_string() && !id->is_number() && !id->is_null())
    return failure(nullptr, {kInvalidRequest, "an id is a text or a number"});
  try {
    json result = answer_request(*method, message.value("params", json::object()));
    return line_of({{"jsonrpc", "2.0"}, {"id", *id}, {"result", std::move(result)}});
  } catch (const RpcError& error) {
    return failure(*id, error);
  }
}

json McpSession::answer_request(const std::string& method, const json& parameters) {
  if (method == "initialize") return initialise(parameters);
  if (method == "ping") return json::object();
  if (method == "tools/list") return {{"tools", mcp_tools()}};
  if (method == "tools/call") return call(parameters);
  throw RpcError{kMethodNotFound, "there is no method '" + method + "'"};
}

json McpSession::initialise(const json& parameters) const {
  std::string_view version = kVersions[0];
  const auto wanted =
      parameters.is_object() ? parameters.find("protocolVersion") : parameters.end();
  if (parameters.is_object() && wanted != parameters.end()) {
    const auto* const known = std::find_if(std::begin(kVersions), std::end(kVersions),
                                           [&](std::string_view each) { return *wanted == each; });
    if (known != std::end(kVersions)) version = *known;
  }
  return {{"protocolVersion", version},
          {"capabilities", {{"tools", json::object()}}},
          {"serverInfo", {{"name", "ringcat"}, {"version", version_}}},
          {"instructions",
           "Answers questions about traces of log records. Begin with summary and "
           "list_statements. Answers are bounded: narrow a question that is cut."}};
}

json McpSession::call(const json& parameters) {
  if (!parameters.is_object() || !parameters.contains("name") || !parameters["name"].is_string())
    throw RpcError{kInvalidParameters, "a call names a tool"};
  std::vector<std::string> command;
  std::string why;
  if (!mcp_command(parameters["name"], parameters.value("arguments", json::object()), command,
                   &why))
    throw RpcError{kInvalidParameters, why};
  command.insert(command.end(), paths_.begin(), paths_.end());
  CommandResult result;
  if (!run_(command, result, &why)) return text_result(why, true);
  if (result.is_timed_out)
    return text_result(
        "the answer took too long; narrow the question, for example by since and until", true);
  // 1: all was read, but for damaged parts.
  const bool is_error = !result.is_cut && result.status != 0 && result.status != 1;
  if (is_error) return text_result(result.errors, true);
  std::string text = result.is_cut ? whole_lines(result.output) : result.output;
  if (result.is_cut) text += "The answer was cut here: narrow the question.\n";
  if (!result.errors.empty()) text += "Notes:\n" + result.errors;
  return text_result(text, false);
}

}  // namespace ringside::tool
