#include "tools/fleet/fleet_program.hpp"

#include <system_error>
#include <unistd.h>
#include <vector>

namespace ringside::fleet {
namespace {

bool is_program_file(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::string fleet_program_path(const char* name) {
  std::error_code error;
  return fleet_program_path(name, std::filesystem::read_symlink("/proc/self/exe", error));
}

std::string fleet_program_path(const char* name, const std::filesystem::path& own) {
  std::vector<std::filesystem::path> paths;
  // Relative paths would lead to programs below the current directory.
  if (own.is_absolute()) {
    const std::filesystem::path folder = own.parent_path();
    paths = {folder / "fleet" / name, folder.parent_path() / "libexec" / "ringside" / name};
  }
  paths.push_back(std::filesystem::path(RINGSIDE_LIBEXEC_DIR) / name);
  for (const std::filesystem::path& path : paths) {
    if (is_program_file(path)) return path.string();
  }
  return {};
}

}  // namespace ringside::fleet
