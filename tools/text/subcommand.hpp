#pragma once
// `ringcat NAME ...`, `ringctl NAME ...`: the type of a subcommand; each tool has one table of
// them.

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

// To add a subcommand, create a pair of files NAME_command, and add it to the table in
// subcommands.cpp (ringcat) or ringctl_subcommands.cpp.
std::span<const Subcommand> subcommands();

// Null if `word` is not a subcommand.
const Subcommand* find_subcommand(std::string_view word);

}  // namespace ringside::tool
