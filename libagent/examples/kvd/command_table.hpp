// The commands, by name.
#pragma once

#include <string_view>

#include "libagent/examples/kvd/command_handler.hpp"

namespace kvd::commands {

struct Command {
  const char* name;  // lower case
  // Number of arguments including the name: exactly this many, or at least -arity if negative.
  int arity;
  Handler handler;
};

// Null if there is no such command. The name may be in any case.
[[nodiscard]] const Command* find_command(std::string_view name);

}  // namespace kvd::commands
