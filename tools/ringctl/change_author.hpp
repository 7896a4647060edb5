#pragma once
// Who changes what is collected, as the segment and the trace state it.

#include <string>
#include <string_view>

#include "shm-layout/change_record.hpp"

namespace ringside::tool {

// The command line of a subcommand, argv[0] being its name: "ringctl level debug --for 30s".
// Without the options that only say where the services are, and how to print.
std::string command_text(int argc, char** argv);

// A record of the present time, of this process and its user; without a number. A command that is
// too long ends in "...".
shm::ChangeRecord change_record(std::string_view command);

}  // namespace ringside::tool
