#pragma once
// `ringcat NAME ...`, `ringctl NAME ...`: what a tool does, one table of subcommands for each.

#include <span>
#include <string_view>

namespace ringside::tool {

struct Subcommand {
  std::string_view name;
  std::string_view description;  // one line, without a full stop
  // Gets the command line from the subcommand's name on, and returns one of exit_codes.hpp. May
  // throw std::exception: its text goes to standard error.
  int (*run)(int argc, char** argv);
};

// A new one stands in a pair of files of its own, NAME_command, and in the table in
// subcommands.cpp (ringcat) or ringctl_subcommands.cpp.
std::span<const Subcommand> subcommands();

// Null if `word` names none.
const Subcommand* find_subcommand(std::string_view word);

}  // namespace ringside::tool
