#include "tools/ringctl/fleet_command.hpp"

#include <cerrno>
#include <string>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>

#include "tools/ringctl/ringctl_exit_codes.hpp"
#include "tools/ringctl/ringctl_output.hpp"
#include "tools/text/error_text.hpp"

namespace ringside::tool {
namespace {

constexpr const char* kFleetProgram = "ringfleet";

// Of this program; empty if it is unknown.
std::string own_folder() {
  std::string path(4096, '\0');
  const ssize_t bytes = ::readlink("/proc/self/exe", path.data(), path.size());
  if (bytes <= 0) return {};
  path.resize(static_cast<std::size_t>(bytes));
  return path.substr(0, path.rfind('/'));
}

}  // namespace

int run_fleet(int argc, char** argv) {
  std::vector<char*> arguments(argv, argv + argc);
  arguments.push_back(nullptr);
  if (const std::string folder = own_folder(); !folder.empty())
    ::execv((folder + "/" + kFleetProgram).c_str(), arguments.data());
  ::execvp(kFleetProgram, arguments.data());
  complain(errno == ENOENT
               ? fmt::format("fleet: the program {} is missing; install the package ringside-fleet",
                             kFleetProgram)
               : fmt::format("fleet: cannot run {}: {}", kFleetProgram, error_text(errno)));
  return kCtlFailed;
}

}  // namespace ringside::tool
