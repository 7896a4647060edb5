#include "libagent/examples/kvd/server_commands.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

#include "libagent/examples/kvd/command_replies.hpp"
#include "libagent/examples/kvd/letter_case.hpp"
#include "libagent/examples/kvd/limits.hpp"

namespace kvd::commands {

AfterReply dbsize(RequestContext& context, Arguments /*arguments*/) {
  context.reply.integer(static_cast<std::int64_t>(context.server.store.size()));
  return AfterReply::kGoOn;
}

AfterReply flushall(RequestContext& context, Arguments arguments) {
  // In Redis, ASYNC and SYNC differ in when the memory is freed; here it is always freed after the
  // locks.
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
  // Nothing is ever saved: benchmarks query these settings.
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

// redis-cli requests the commands' documentation for completion; it works without.
AfterReply command(RequestContext& context, Arguments /*arguments*/) {
  context.reply.array(0);
  return AfterReply::kGoOn;
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

}  // namespace kvd::commands
