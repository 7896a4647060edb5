#include "libagent/examples/kvd/connection_commands.hpp"

#include <cstdint>
#include <optional>

#include "libagent/examples/kvd/command_replies.hpp"
#include "libagent/examples/kvd/decimal.hpp"

namespace kvd::commands {

AfterReply ping(RequestContext& context, Arguments arguments) {
  if (arguments.size() > 2) {
    reply_arity_error(context, "ping");
  } else if (arguments.size() == 2) {
    context.reply.bulk(arguments[1]);
  } else {
    context.reply.simple("PONG");
  }
  return AfterReply::kGoOn;
}

AfterReply echo(RequestContext& context, Arguments arguments) {
  context.reply.bulk(arguments[1]);
  return AfterReply::kGoOn;
}

AfterReply select(RequestContext& context, Arguments arguments) {
  const std::optional<std::int64_t> index = parse_decimal(arguments[1]);
  if (!index) {
    context.reply.error(kNotAnInteger);
  } else if (*index != 0) {
    context.reply.error("ERR DB index is out of range");
  } else {
    context.reply.simple("OK");
  }
  return AfterReply::kGoOn;
}

AfterReply quit(RequestContext& context, Arguments /*arguments*/) {
  context.reply.simple("OK");
  return AfterReply::kClose;
}

}  // namespace kvd::commands
