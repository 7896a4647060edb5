// The type of a command's handler, for the table and the files with the handlers.
#pragma once

#include <span>
#include <string_view>

#include "libagent/examples/kvd/commands.hpp"

namespace kvd::commands {

// The command's name first. The table has checked their number according to the arity.
using Arguments = std::span<const std::string_view>;
using Handler = AfterReply (*)(RequestContext&, Arguments);

}  // namespace kvd::commands
