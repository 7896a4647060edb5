#include "tools/report/mcp_session.hpp"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "tools/report/mcp_answer.hpp"

namespace ringside::tool {
namespace {

using nlohmann::json;

// JSON-RPC 2.0, section 5.1.
constexpr int kParseError = -32700;
constexpr int kInvalidRequest = -32600;
constexpr int kMethodNotFound = -32601;
constexpr int kInvalidParameters = -32602;

// Of the protocol, the newest first. Not 2025-03-26, which requires batches of requests.
constexpr std::string_view kVersions[] = {"2025-06-18", "2024-11-05"};

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

// As a line: the id is JSON.
std::string line_of_result(const std::string& id, const json& result) {
  return R"({"id":)" + id + R"(,"jsonrpc":"2.0","result":)" + line_of(result) + "}";
}

// A value of another type could be nested without a bound, and it is sent back.
bool is_id(const json& value) {
  return value.is_string() || value.is_number() || value.is_null();
}

McpCall call_of(const json& parameters, const json& id) {
  if (!parameters.is_object() || !parameters.contains("name") || !parameters["name"].is_string())
    throw RpcError{kInvalidParameters, "a call names a tool"};
  std::string why;
  std::optional<McpQuestion> question =
      mcp_question(parameters["name"], parameters.value("arguments", json::object()), &why);
  if (!question) throw RpcError{kInvalidParameters, why};
  return {line_of(id), *std::move(question)};
}

McpReaction take_notification(const json& message) {
  McpReaction reaction;
  const json parameters = message.value("params", json());
  if (message["method"] != "notifications/cancelled" || !parameters.is_object()) return reaction;
  const auto id = parameters.find("requestId");
  if (id != parameters.end() && is_id(*id)) reaction.cancelled = line_of(*id);
  return reaction;
}

}  // namespace

McpReaction McpSession::take(std::string_view line) const {
  const auto refuse = [](int code, const char* why) {
    return McpReaction{.answer = failure(nullptr, {code, why})};
  };
  if (line.size() > kMostLineBytes) return refuse(kInvalidRequest, "the line has more than 1 MiB");
  const json message = json::parse(line, nullptr, false);
  if (message.is_discarded()) return refuse(kParseError, "the line is not JSON");
  if (!message.is_object() || !message.contains("method") || !message["method"].is_string())
    return refuse(kInvalidRequest, "a request is an object with a method");
  const auto id = message.find("id");
  if (id == message.end()) return take_notification(message);
  if (!is_id(*id)) return refuse(kInvalidRequest, "an id is a text or a number");
  try {
    return take_request(message, *id);
  } catch (const RpcError& error) {
    return {.answer = failure(*id, error)};
  }
}

McpReaction McpSession::take_request(const json& message, const json& id) const {
  const std::string method = message["method"];
  const json parameters = message.value("params", json::object());
  const auto answer = [&id](const json& result) {
    return McpReaction{.answer = line_of_result(line_of(id), result)};
  };
  if (method == "initialize") return answer(initialise(parameters));
  if (method == "ping") return answer(json::object());
  if (method == "tools/list") return answer({{"tools", mcp_tools()}});
  if (method == "tools/call") return {.call = call_of(parameters, id)};
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
           "list_statements. Each answer is one JSON object of bounded size: if has_more is true, "
           "something was left out (left_out counts it, if it is known); narrow the question."}};
}

std::string McpSession::answer_of(const McpCall& call, const CommandResult& result) const {
  if (result.is_timed_out)
    return failure_of(
        call, "the answer took too long; narrow the question, for example by since and until");
  // 1: all was read, but for damaged parts.
  if (!result.is_cut && result.status != 0 && result.status != 1) {
    return failure_of(
        call, result.errors.empty() ? "ringcat ended without an answer; ask again" : result.errors);
  }
  std::string why;
  const std::optional<std::string> text =
      mcp_answer(result, call.question.form, most_answer_bytes_, &why);
  return text ? line_of_result(call.id, text_result(*text, false)) : failure_of(call, why);
}

std::string McpSession::failure_of(const McpCall& call, const std::string& why) {
  return line_of_result(call.id, text_result(why, true));
}

}  // namespace ringside::tool
