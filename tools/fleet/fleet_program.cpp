#include "tools/fleet/fleet_program.hpp"

#include <filesystem>
#include <system_error>
#include <unistd.h>

namespace ringside::fleet {
namespace {

bool is_program_file(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::string fleet_program_path(const char* name) {
  std::error_code error;
  const std::filesystem::path own = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::filesystem::path folder = own.parent_path();
  for (const std::filesystem::path& path :
       {folder / "fleet" / name, folder.parent_path() / "libexec" / "ringside" / name,
        std::filesystem::path(RINGSIDE_LIBEXEC_DIR) / name}) {
    if (is_program_file(path)) return path.string();
  }
  return {};
}

}  // namespace ringside::fleet
