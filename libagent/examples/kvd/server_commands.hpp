// Commands on the server and on all of its data.
#pragma once

#include "libagent/examples/kvd/command_handler.hpp"

namespace kvd::commands {

[[nodiscard]] AfterReply dbsize(RequestContext& context, Arguments arguments);
[[nodiscard]] AfterReply flushall(RequestContext& context, Arguments arguments);
[[nodiscard]] AfterReply config(RequestContext& context, Arguments arguments);
[[nodiscard]] AfterReply info(RequestContext& context, Arguments arguments);
[[nodiscard]] AfterReply command(RequestContext& context, Arguments arguments);
[[nodiscard]] AfterReply shut_down(RequestContext& context, Arguments arguments);

}  // namespace kvd::commands
