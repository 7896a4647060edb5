#include "tools/fleet/publish_answer.hpp"

#include <string>

#include <fmt/format.h>
#include <nats/nats.h>
#include <nlohmann/json.hpp>

namespace ringside::fleet {
namespace {

// Codes that the library does not list.
constexpr std::uint64_t kHeadersTooLarge = 10'097;
constexpr std::uint64_t kWrongLastSequenceInFlight = 10'164;  // servers of 2.12

std::uint64_t unsigned_member(const nlohmann::json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
}

PublishStatus status_of_error(std::uint64_t code) {
  if (is_other_last(code)) return PublishStatus::kOtherLast;
  switch (code) {
    case JSStreamMessageExceedsMaximumErr:
    case kHeadersTooLarge:
      return PublishStatus::kRefused;
    default:
      // Not stored, but the reason can pass: limits of the account, no leader, a full disk.
      return PublishStatus::kUnknown;
  }
}

}  // namespace

bool is_other_last(std::uint64_t code) {
  return code == JSStreamWrongLastSequenceErr || code == kWrongLastSequenceInFlight;
}

PublishResult read_publish_answer(std::uint64_t token, std::string_view answer) {
  PublishResult result{.token = token, .why = {}};
  const nlohmann::json parsed = nlohmann::json::parse(answer, nullptr, false);
  if (parsed.is_object()) {
    const auto error = parsed.find("error");
    if (error != parsed.end() && error->is_object()) {
      const std::uint64_t code = unsigned_member(*error, "err_code");
      const auto description = error->find("description");
      const bool is_described = description != error->end() && description->is_string();
      result.status = status_of_error(code);
      result.why = fmt::format("the server did not store the message: {} (JetStream error {})",
                               is_described ? description->get<std::string>() : "no reason", code);
      return result;
    }
    result.number = unsigned_member(parsed, "seq");
    if (result.number != 0) {
      result.status = PublishStatus::kStored;
      return result;
    }
  }
  result.why = "invalid answer of the server; check that --server is a NATS server with JetStream";
  return result;
}

}  // namespace ringside::fleet
