#include "libagent/examples/kvd/string_commands.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "libagent/examples/kvd/command_replies.hpp"
#include "libagent/examples/kvd/decimal.hpp"
#include "libagent/examples/kvd/expiry_time.hpp"
#include "libagent/examples/kvd/letter_case.hpp"

namespace kvd::commands {
namespace {

struct SetOptions {
  SetCondition condition = SetCondition::kAlways;
  TimeMs expires_at_ms = kNever;
};

// Empty if an option is invalid; the error has then been replied.
std::optional<SetOptions> parse_set_options(RequestContext& context, Arguments options) {
  SetOptions result;
  for (std::size_t i = 0; i < options.size(); ++i) {
    const bool seconds = equals_ignoring_case(options[i], "ex");
    if (result.condition == SetCondition::kAlways && equals_ignoring_case(options[i], "nx")) {
      result.condition = SetCondition::kIfMissing;
    } else if (result.condition == SetCondition::kAlways &&
               equals_ignoring_case(options[i], "xx")) {
      result.condition = SetCondition::kIfPresent;
    } else if (result.expires_at_ms == kNever && i + 1 < options.size() &&
               (seconds || equals_ignoring_case(options[i], "px"))) {
      const std::optional<std::int64_t> amount = parse_decimal(options[++i]);
      if (!amount) {
        context.reply.error(kNotAnInteger);
        return std::nullopt;
      }
      const std::optional<TimeMs> at_ms = time_after(context.now_ms, *amount, seconds ? 1000 : 1);
      if (*amount <= 0 || !at_ms) {
        context.reply.error("ERR invalid expire time in 'set' command");
        return std::nullopt;
      }
      result.expires_at_ms = *at_ms;
    } else {
      context.reply.error(kSyntaxError);
      return std::nullopt;
    }
  }
  return result;
}

AfterReply change_by(RequestContext& context, std::string_view key, std::int64_t delta) {
  const auto result = context.server.store.increment(key, delta, context.now_ms);
  if (!reply_failure(context.reply, result.status, "ERR increment or decrement would overflow")) {
    context.reply.integer(result.value);
  }
  return AfterReply::kGoOn;
}

}  // namespace

AfterReply get(RequestContext& context, Arguments arguments) {
  const StoreResult<StringPtr> result = context.server.store.get(arguments[1], context.now_ms);
  if (!reply_failure(context.reply, result.status, {})) reply_value(context.reply, result.value);
  return AfterReply::kGoOn;
}

AfterReply set(RequestContext& context, Arguments arguments) {
  const std::optional<SetOptions> options = parse_set_options(context, arguments.subspan(3));
  if (!options) return AfterReply::kGoOn;
  if (context.server.store.set(arguments[1], arguments[2], options->condition,
                               options->expires_at_ms, context.now_ms)) {
    context.reply.simple("OK");
  } else {
    context.reply.null_bulk();
  }
  return AfterReply::kGoOn;
}

AfterReply mget(RequestContext& context, Arguments arguments) {
  const std::vector<StringPtr> values =
      context.server.store.get_all(arguments.subspan(1), context.now_ms);
  context.reply.array(values.size());
  for (const StringPtr& value : values) reply_value(context.reply, value);
  return AfterReply::kGoOn;
}

AfterReply mset(RequestContext& context, Arguments arguments) {
  if (arguments.size() % 2 == 0) {
    reply_arity_error(context, "mset");
    return AfterReply::kGoOn;
  }
  std::vector<KeyValue> pairs;
  pairs.reserve(arguments.size() / 2);
  for (std::size_t i = 1; i < arguments.size(); i += 2) {
    pairs.push_back({arguments[i], arguments[i + 1]});
  }
  context.server.store.set_all(pairs, context.now_ms);
  context.reply.simple("OK");
  return AfterReply::kGoOn;
}

AfterReply incr(RequestContext& context, Arguments arguments) {
  return change_by(context, arguments[1], 1);
}

AfterReply decr(RequestContext& context, Arguments arguments) {
  return change_by(context, arguments[1], -1);
}

AfterReply incrby(RequestContext& context, Arguments arguments) {
  const std::optional<std::int64_t> delta = parse_decimal(arguments[2]);
  if (delta) return change_by(context, arguments[1], *delta);
  context.reply.error(kNotAnInteger);
  return AfterReply::kGoOn;
}

AfterReply decrby(RequestContext& context, Arguments arguments) {
  const std::optional<std::int64_t> delta = parse_decimal(arguments[2]);
  if (!delta) {
    context.reply.error(kNotAnInteger);
  } else if (*delta == std::numeric_limits<std::int64_t>::min()) {
    context.reply.error("ERR decrement would overflow");
  } else {
    return change_by(context, arguments[1], -*delta);
  }
  return AfterReply::kGoOn;
}

}  // namespace kvd::commands
