// Commands on strings, including those that use them as counters.
#pragma once

#include "libagent/examples/kvd/command_handler.hpp"

namespace kvd::commands {

[[nodiscard]] AfterReply get(RequestContext& context, Arguments arguments);
[[nodiscard]] AfterReply set(RequestContext& context, Arguments arguments);
[[nodiscard]] AfterReply mget(RequestContext& context, Arguments arguments);
[[nodiscard]] AfterReply mset(RequestContext& context, Arguments arguments);
[[nodiscard]] AfterReply incr(RequestContext& context, Arguments arguments);
[[nodiscard]] AfterReply decr(RequestContext& context, Arguments arguments);
[[nodiscard]] AfterReply incrby(RequestContext& context, Arguments arguments);
[[nodiscard]] AfterReply decrby(RequestContext& context, Arguments arguments);

}  // namespace kvd::commands
