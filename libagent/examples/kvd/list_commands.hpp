// Commands on lists.
#pragma once

#include "libagent/examples/kvd/command_handler.hpp"

namespace kvd::commands {

[[nodiscard]] AfterReply lpush(RequestContext& context, Arguments arguments);
[[nodiscard]] AfterReply rpush(RequestContext& context, Arguments arguments);
[[nodiscard]] AfterReply lpop(RequestContext& context, Arguments arguments);
[[nodiscard]] AfterReply rpop(RequestContext& context, Arguments arguments);
[[nodiscard]] AfterReply llen(RequestContext& context, Arguments arguments);

}  // namespace kvd::commands
