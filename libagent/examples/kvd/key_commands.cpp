#include "libagent/examples/kvd/key_commands.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "libagent/examples/kvd/command_replies.hpp"
#include "libagent/examples/kvd/decimal.hpp"
#include "libagent/examples/kvd/expiry_time.hpp"

namespace kvd::commands {

AfterReply del(RequestContext& context, Arguments arguments) {
  const std::size_t removed = context.server.store.erase(arguments.subspan(1), context.now_ms);
  context.reply.integer(static_cast<std::int64_t>(removed));
  return AfterReply::kGoOn;
}

AfterReply exists(RequestContext& context, Arguments arguments) {
  const std::size_t present = context.server.store.count(arguments.subspan(1), context.now_ms);
  context.reply.integer(static_cast<std::int64_t>(present));
  return AfterReply::kGoOn;
}

AfterReply expire(RequestContext& context, Arguments arguments) {
  const std::optional<std::int64_t> seconds = parse_decimal(arguments[2]);
  if (!seconds) {
    context.reply.error(kNotAnInteger);
    return AfterReply::kGoOn;
  }
  if (arguments.size() > 3) {
    context.reply.error("ERR Unsupported option " +
                        std::string(arguments[3].substr(0, kQuotedBytes)));
    return AfterReply::kGoOn;
  }
  const std::optional<TimeMs> at_ms = time_after(context.now_ms, *seconds, 1000);
  if (!at_ms) {
    context.reply.error("ERR invalid expire time in 'expire' command");
  } else {
    context.reply.integer(context.server.store.expire_at(arguments[1], *at_ms, context.now_ms) ? 1
                                                                                               : 0);
  }
  return AfterReply::kGoOn;
}

AfterReply ttl(RequestContext& context, Arguments arguments) {
  const StoreResult<TimeMs> left = context.server.store.time_to_live(arguments[1], context.now_ms);
  if (left.status == StoreStatus::kMissing) {
    context.reply.integer(-2);
  } else if (left.value == kNever) {
    context.reply.integer(-1);
  } else {
    // To the nearest second like Redis, in an order that cannot overflow.
    context.reply.integer(left.value / 1000 + (left.value % 1000 >= 500 ? 1 : 0));
  }
  return AfterReply::kGoOn;
}

AfterReply type(RequestContext& context, Arguments arguments) {
  switch (context.server.store.type(arguments[1], context.now_ms)) {
    case ValueType::kNone:
      context.reply.simple("none");
      break;
    case ValueType::kString:
      context.reply.simple("string");
      break;
    case ValueType::kList:
      context.reply.simple("list");
      break;
  }
  return AfterReply::kGoOn;
}

}  // namespace kvd::commands
