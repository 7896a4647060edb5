// Commands on keys, for values of any type.
#pragma once

#include "libagent/examples/kvd/command_handler.hpp"

namespace kvd::commands {

[[nodiscard]] AfterReply del(RequestContext& context, Arguments arguments);
[[nodiscard]] AfterReply exists(RequestContext& context, Arguments arguments);
[[nodiscard]] AfterReply expire(RequestContext& context, Arguments arguments);
[[nodiscard]] AfterReply ttl(RequestContext& context, Arguments arguments);
[[nodiscard]] AfterReply type(RequestContext& context, Arguments arguments);

}  // namespace kvd::commands
