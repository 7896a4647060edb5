// The commands: one request in, one reply out, with the wording of Redis 7.0.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "libagent/examples/kvd/resp_reply.hpp"
#include "libagent/examples/kvd/server_state.hpp"

namespace kvd {

// The connection's next step once the reply is queued.
enum class AfterReply { kGoOn, kClose, kShutDown };

struct RequestContext {
  ServerState& server;
  ReplyBuffer& reply;
  TimeMs now_ms = 0;  // one time for the whole request
  std::uint64_t connection = 0;
  std::uint64_t request = 0;  // counted from 1 on each connection
};

// Executes `arguments` (the command's name first, at least one). Queues exactly one reply, none for
// kShutDown. Thread-safe for different contexts.
[[nodiscard]] AfterReply execute(RequestContext& context,
                                 std::span<const std::string_view> arguments);

}  // namespace kvd
