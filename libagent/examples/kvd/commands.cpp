#include "libagent/examples/kvd/commands.hpp"

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <unistd.h>
#include <vector>

#include <ringside/ringside.hpp>

#include "libagent/examples/kvd/decimal.hpp"
#include "libagent/examples/kvd/trace_text.hpp"

namespace kvd {
namespace {

using Arguments = std::span<const std::string_view>;
using Handler = AfterReply (*)(RequestContext&, Arguments);

constexpr std::string_view kSyntaxError = "ERR syntax error";
constexpr std::string_view kNotAnInteger = "ERR value is not an integer or out of range";
constexpr std::string_view kWrongType =
    "WRONGTYPE Operation against a key holding the wrong kind of value";
constexpr std::size_t kQuotedBytes = 128;  // of a client's text in an error reply

struct Command {
  const char* name;  // lower case
  // Arguments with the name: exactly that many, or at least -arity of them when negative.
  int arity;
  Handler handler;
};

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

bool arity_fits(int arity, std::size_t count) {
  return arity >= 0 ? count == static_cast<std::size_t>(arity)
                    : count >= static_cast<std::size_t>(-arity);
}

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

// Replies what is wrong and returns false unless the status is one of success.
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

// `amount` of a unit from now as a time; nothing when it does not fit.
std::optional<TimeMs> time_after(TimeMs now_ms, std::int64_t amount, std::int64_t unit_ms) {
  TimeMs at_ms = 0;
  if (__builtin_mul_overflow(amount, unit_ms, &at_ms)) return std::nullopt;
  if (__builtin_add_overflow(at_ms, now_ms, &at_ms)) return std::nullopt;
  // The largest time means "never", so it cannot be asked for.
  if (at_ms == kNever) return std::nullopt;
  return at_ms;
}

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

AfterReply get(RequestContext& context, Arguments arguments) {
  const StoreResult<StringPtr> result = context.server.store.get(arguments[1], context.now_ms);
  if (!reply_failure(context.reply, result.status, {})) reply_value(context.reply, result.value);
  return AfterReply::kGoOn;
}

struct SetOptions {
  SetCondition condition = SetCondition::kAlways;
  TimeMs expires_at_ms = kNever;
};

// Nothing when an option is wrong, which has then been replied.
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

AfterReply change_by(RequestContext& context, std::string_view key, std::int64_t delta) {
  const auto result = context.server.store.increment(key, delta, context.now_ms);
  if (!reply_failure(context.reply, result.status, "ERR increment or decrement would overflow")) {
    context.reply.integer(result.value);
  }
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
    // To the nearest second as Redis does, in an order that cannot overflow.
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

template <ListEnd kEnd>
AfterReply push(RequestContext& context, Arguments arguments) {
  const auto result =
      context.server.store.push(arguments[1], arguments.subspan(2), kEnd, context.now_ms);
  if (!reply_failure(context.reply, result.status, {})) {
    context.reply.integer(static_cast<std::int64_t>(result.value));
  }
  return AfterReply::kGoOn;
}

template <ListEnd kEnd>
AfterReply pop(RequestContext& context, Arguments arguments) {
  const auto result = context.server.store.pop(arguments[1], kEnd, context.now_ms);
  if (reply_failure(context.reply, result.status, {})) return AfterReply::kGoOn;
  if (result.status == StoreStatus::kMissing) {
    context.reply.null_bulk();
  } else {
    context.reply.bulk(result.value);
  }
  return AfterReply::kGoOn;
}

AfterReply llen(RequestContext& context, Arguments arguments) {
  const auto result = context.server.store.list_length(arguments[1], context.now_ms);
  if (!reply_failure(context.reply, result.status, {})) {
    context.reply.integer(static_cast<std::int64_t>(result.value));
  }
  return AfterReply::kGoOn;
}

AfterReply dbsize(RequestContext& context, Arguments /*arguments*/) {
  context.reply.integer(static_cast<std::int64_t>(context.server.store.size()));
  return AfterReply::kGoOn;
}

AfterReply flushall(RequestContext& context, Arguments arguments) {
  // ASYNC and SYNC differ in when Redis frees the memory; here it is freed after the locks anyway.
  if (arguments.size() > 2 ||
      (arguments.size() == 2 && !equals_ignoring_case(arguments[1], "async") &&
       !equals_ignoring_case(arguments[1], "sync"))) {
    context.reply.error(kSyntaxError);
    return AfterReply::kGoOn;
  }
  context.server.store.clear();
  context.reply.simple("OK");
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

AfterReply config(RequestContext& context, Arguments arguments) {
  if (!equals_ignoring_case(arguments[1], "get")) {
    context.reply.error("ERR unknown subcommand '" +
                        std::string(arguments[1].substr(0, kQuotedBytes)) + "'. Try CONFIG HELP.");
    return AfterReply::kGoOn;
  }
  if (arguments.size() < 3) {
    reply_arity_error(context, "config|get");
    return AfterReply::kGoOn;
  }
  // Nothing is ever saved, which is what a benchmark wants to know from these.
  static constexpr std::array<std::array<std::string_view, 2>, 4> kSettings{
      {{"save", ""}, {"appendonly", "no"}, {"maxmemory", "0"}, {"databases", "1"}}};
  std::vector<std::string_view> pairs;
  for (const auto& [name, value] : kSettings) {
    const bool asked = std::any_of(arguments.begin() + 2, arguments.end(),
                                   [&name = name](std::string_view pattern) {
                                     return pattern == "*" || equals_ignoring_case(pattern, name);
                                   });
    if (asked) pairs.insert(pairs.end(), {name, value});
  }
  context.reply.array(pairs.size());
  for (const std::string_view text : pairs) context.reply.bulk(text);
  return AfterReply::kGoOn;
}

AfterReply info(RequestContext& context, Arguments /*arguments*/) {
  std::uint64_t requests = 0;
  std::uint64_t bytes_read = 0;
  std::uint64_t bytes_written = 0;
  std::uint64_t protocol_errors = 0;
  const ServerState& server = context.server;
  for (const WorkerCounters& worker : server.counters) {
    requests += worker.requests.load(std::memory_order_relaxed);
    bytes_read += worker.bytes_read.load(std::memory_order_relaxed);
    bytes_written += worker.bytes_written.load(std::memory_order_relaxed);
    protocol_errors += worker.protocol_errors.load(std::memory_order_relaxed);
  }
  const auto uptime =
      std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - server.started);
  std::string text;
  const auto add = [&text](std::string_view name, std::uint64_t value) {
    text.append(name).append(":").append(std::to_string(value)).append("\r\n");
  };
  text += "# Server\r\n";
  add("process_id", static_cast<std::uint64_t>(::getpid()));
  add("tcp_port", server.port);
  add("worker_threads", server.counters.size());
  add("uptime_in_seconds", static_cast<std::uint64_t>(uptime.count()));
  text += "\r\n# Clients\r\n";
  add("connected_clients", server.clients.load(std::memory_order_relaxed));
  add("maxclients", kMaxClients);
  text += "\r\n# Stats\r\n";
  add("total_connections_received", server.connections.load(std::memory_order_relaxed));
  add("total_commands_processed", requests);
  add("total_net_input_bytes", bytes_read);
  add("total_net_output_bytes", bytes_written);
  add("protocol_errors", protocol_errors);
  add("expired_keys", server.store.expired_keys());
  text += "\r\n# Keyspace\r\n";
  if (server.store.size() > 0) {
    text += "db0:keys=" + std::to_string(server.store.size()) + "\r\n";
  }
  context.reply.bulk(text);
  return AfterReply::kGoOn;
}

// redis-cli asks for the commands' documentation to complete what is typed; it does without.
AfterReply command(RequestContext& context, Arguments /*arguments*/) {
  context.reply.array(0);
  return AfterReply::kGoOn;
}

AfterReply quit(RequestContext& context, Arguments /*arguments*/) {
  context.reply.simple("OK");
  return AfterReply::kClose;
}

AfterReply shut_down(RequestContext& context, Arguments arguments) {
  if (arguments.size() > 2 ||
      (arguments.size() == 2 && !equals_ignoring_case(arguments[1], "nosave") &&
       !equals_ignoring_case(arguments[1], "save"))) {
    context.reply.error(kSyntaxError);
    return AfterReply::kGoOn;
  }
  return AfterReply::kShutDown;
}

// By name, so that it can be searched.
constexpr std::array kCommands{
    Command{"command", -1, command},
    Command{"config", -2, config},
    Command{"dbsize", 1, dbsize},
    Command{"decr", 2, decr},
    Command{"decrby", 3, decrby},
    Command{"del", -2, del},
    Command{"echo", 2, echo},
    Command{"exists", -2, exists},
    Command{"expire", -3, expire},
    Command{"flushall", -1, flushall},
    Command{"get", 2, get},
    Command{"incr", 2, incr},
    Command{"incrby", 3, incrby},
    Command{"info", -1, info},
    Command{"llen", 2, llen},
    Command{"lpop", 2, pop<ListEnd::kFront>},
    Command{"lpush", -3, push<ListEnd::kFront>},
    Command{"mget", -2, mget},
    Command{"mset", -3, mset},
    Command{"ping", -1, ping},
    Command{"quit", -1, quit},
    Command{"rpop", 2, pop<ListEnd::kBack>},
    Command{"rpush", -3, push<ListEnd::kBack>},
    Command{"select", 2, select},
    Command{"set", -3, set},
    Command{"shutdown", -1, shut_down},
    Command{"ttl", 2, ttl},
    Command{"type", 2, type},
};

constexpr bool name_before(const Command& a, const Command& b) {
  return std::string_view(a.name) < std::string_view(b.name);
}
static_assert(std::is_sorted(kCommands.begin(), kCommands.end(), name_before));

const Command* find_command(std::string_view name) {
  char folded[16];
  if (name.size() > sizeof folded) return nullptr;
  std::transform(name.begin(), name.end(), folded, lower);
  const std::string_view wanted(folded, name.size());
  const auto* const found = std::lower_bound(
      kCommands.begin(), kCommands.end(), wanted,
      [](const Command& a, std::string_view b) { return std::string_view(a.name) < b; });
  return found != kCommands.end() && found->name == wanted ? found : nullptr;
}

void reply_unknown(RequestContext& context, Arguments arguments) {
  std::string quoted;
  for (const std::string_view argument : arguments.subspan(1)) {
    if (quoted.size() >= kQuotedBytes) break;
    const std::string_view shown = argument.substr(0, kQuotedBytes - quoted.size());
    quoted.append("'").append(shown).append("' ");
  }
  context.reply.error("ERR unknown command '" + std::string(arguments[0].substr(0, kQuotedBytes)) +
                      "', with args beginning with: " + quoted);
}

}  // namespace

AfterReply execute(RequestContext& context, std::span<const std::string_view> arguments) {
  const Command* const found = find_command(arguments[0]);
  if (found == nullptr) {
    RS_WARNING("conn %" PRIu64 " request %" PRIu64 ": unknown command '%.*s'", context.connection,
               context.request, traced_length(arguments[0]), arguments[0].data());
    reply_unknown(context, arguments);
    return AfterReply::kGoOn;
  }
  if (!arity_fits(found->arity, arguments.size())) {
    RS_WARNING("conn %" PRIu64 " request %" PRIu64 ": %zu arguments do not suit '%s'",
               context.connection, context.request, arguments.size(), found->name);
    reply_arity_error(context, found->name);
    return AfterReply::kGoOn;
  }
  const std::string_view first = arguments.size() > 1 ? arguments[1] : std::string_view("");
  RS_INFO("conn %" PRIu64 " request %" PRIu64 ": command %s '%.*s'", context.connection,
          context.request, found->name, traced_length(first), first.data());
  return found->handler(context, arguments);
}

}  // namespace kvd
