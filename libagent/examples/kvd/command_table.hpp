// Which commands there are, by name.
#pragma once

#include <string_view>

#include "libagent/examples/kvd/command_handler.hpp"

namespace kvd::commands {

struct Command {
  const char* name;  // lower case
  // Arguments with the name: exactly that many, or at least -arity of them when negative.
  int arity;
  Handler handler;
};

// Null when there is no such command. The name may be in any case.
[[nodiscard]] const Command* find_command(std::string_view name);

}  // namespace kvd::commands
