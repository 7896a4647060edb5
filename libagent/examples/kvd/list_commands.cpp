#include "libagent/examples/kvd/list_commands.hpp"

#include <cstdint>

#include "libagent/examples/kvd/command_replies.hpp"

namespace kvd::commands {
namespace {

AfterReply push(RequestContext& context, Arguments arguments, ListEnd end) {
  const auto result =
      context.server.store.push(arguments[1], arguments.subspan(2), end, context.now_ms);
  if (!reply_failure(context.reply, result.status, {})) {
    context.reply.integer(static_cast<std::int64_t>(result.value));
  }
  return AfterReply::kGoOn;
}

AfterReply pop(RequestContext& context, Arguments arguments, ListEnd end) {
  const auto result = context.server.store.pop(arguments[1], end, context.now_ms);
  if (reply_failure(context.reply, result.status, {})) return AfterReply::kGoOn;
  if (result.status == StoreStatus::kMissing) {
    context.reply.null_bulk();
  } else {
    context.reply.bulk(result.value);
  }
  return AfterReply::kGoOn;
}

}  // namespace

AfterReply lpush(RequestContext& context, Arguments arguments) {
  return push(context, arguments, ListEnd::kFront);
}

AfterReply rpush(RequestContext& context, Arguments arguments) {
  return push(context, arguments, ListEnd::kBack);
}

AfterReply lpop(RequestContext& context, Arguments arguments) {
  return pop(context, arguments, ListEnd::kFront);
}

AfterReply rpop(RequestContext& context, Arguments arguments) {
  return pop(context, arguments, ListEnd::kBack);
}

AfterReply llen(RequestContext& context, Arguments arguments) {
  const auto result = context.server.store.list_length(arguments[1], context.now_ms);
  if (!reply_failure(context.reply, result.status, {})) {
    context.reply.integer(static_cast<std::int64_t>(result.value));
  }
  return AfterReply::kGoOn;
}

}  // namespace kvd::commands
