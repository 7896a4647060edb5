#include "libagent/examples/kvd/command_replies.hpp"

#include <string>

namespace kvd::commands {
namespace {

constexpr std::string_view kWrongType =
    "WRONGTYPE Operation against a key holding the wrong kind of value";

}  // namespace

void reply_arity_error(RequestContext& context, std::string_view name) {
  context.reply.error("ERR wrong number of arguments for '" + std::string(name) + "' command");
}

void reply_value(ReplyBuffer& reply, const StringPtr& value) {
  if (value == nullptr) {
    reply.null_bulk();
  } else {
    reply.bulk(*value);
  }
}

bool reply_failure(ReplyBuffer& reply, StoreStatus status, std::string_view overflow_error) {
  switch (status) {
    case StoreStatus::kWrongType:
      reply.error(kWrongType);
      return true;
    case StoreStatus::kNotAnInteger:
      reply.error(kNotAnInteger);
      return true;
    case StoreStatus::kOverflow:
      reply.error(overflow_error);
      return true;
    case StoreStatus::kOk:
    case StoreStatus::kMissing:
      break;
  }
  return false;
}

}  // namespace kvd::commands
