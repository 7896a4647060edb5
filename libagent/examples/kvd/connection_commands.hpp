// Commands that concern the client's own connection and no data.
#pragma once

#include "libagent/examples/kvd/command_handler.hpp"

namespace kvd::commands {

[[nodiscard]] AfterReply ping(RequestContext& context, Arguments arguments);
[[nodiscard]] AfterReply echo(RequestContext& context, Arguments arguments);
[[nodiscard]] AfterReply select(RequestContext& context, Arguments arguments);
[[nodiscard]] AfterReply quit(RequestContext& context, Arguments arguments);

}  // namespace kvd::commands
