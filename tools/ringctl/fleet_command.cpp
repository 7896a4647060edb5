#include "tools/ringctl/fleet_command.hpp"

#include <cerrno>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>

#include "tools/fleet/fleet_program.hpp"
#include "tools/ringctl/ringctl_exit_codes.hpp"
#include "tools/ringctl/ringctl_output.hpp"
#include "tools/text/error_text.hpp"

namespace ringside::tool {
namespace {

constexpr const char* kFleetProgram = "ringfleet";
constexpr std::string_view kHelpWithoutIt =
    "Usage: ringctl fleet SUBCOMMAND [OPTION]...\n"
    "Requests snapshots from the hosts of a fleet, which run ringship.\n"
    "\n"
    "The program ringfleet is not installed. Install the package ringside-fleet, or build\n"
    "Ringside with libnats.\n"
    "\n"
    "Exit status: 0 for --help, else 1.\n";

bool asks_for_help(int argc, char** argv) {
  const std::string_view first = argc > 1 ? argv[1] : "";
  return first == "--help" || first == "-h";
}

}  // namespace

int run_fleet(int argc, char** argv) {
  const std::string path = fleet::fleet_program_path(kFleetProgram);
  if (path.empty() && asks_for_help(argc, argv)) {
    say_lines(std::string(kHelpWithoutIt));
    return kCtlOk;
  }
  if (path.empty()) {
    complain(
        "fleet: the program ringfleet is not installed; install the package ringside-fleet, or "
        "build Ringside with libnats");
    return kCtlFailed;
  }
  std::vector<char*> arguments(argv, argv + argc);
  arguments.push_back(nullptr);
  ::execv(path.c_str(), arguments.data());
  complain(fmt::format("fleet: {}: cannot be started: {}; check its permissions", path,
                       error_text(errno)));
  return kCtlFailed;
}

}  // namespace ringside::tool
