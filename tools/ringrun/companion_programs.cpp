#include "tools/ringrun/companion_programs.hpp"

#include <filesystem>
#include <system_error>
#include <unistd.h>

namespace ringside::tool {
namespace {

bool is_program(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::string companion_program(const std::string& name) {
  std::error_code error;
  const std::filesystem::path own = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return name;
  const std::filesystem::path folder = own.parent_path();
  // Installed; in a build folder, where each program is in the folder of its sources.
  for (const std::filesystem::path& path : {folder / name, folder.parent_path() / name / name}) {
    if (is_program(path)) return path.string();
  }
  return name;
}

}  // namespace ringside::tool
