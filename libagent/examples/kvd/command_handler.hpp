// What a command's handler is, for the table that names them and the files that hold them.
#pragma once

#include <span>
#include <string_view>

#include "libagent/examples/kvd/commands.hpp"

namespace kvd::commands {

// The command's name first. The table has checked how many there are as far as its arity tells.
using Arguments = std::span<const std::string_view>;
using Handler = AfterReply (*)(RequestContext&, Arguments);

}  // namespace kvd::commands
