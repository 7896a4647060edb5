#include "tools/files/replaced_input.hpp"

#include <filesystem>
#include <system_error>
#include <vector>

#include <sys/stat.h>

#include "trace-format/reader/trace_paths.hpp"

namespace ringside::tool {
namespace {

bool is_file(const struct stat& wanted, const std::string& path) {
  struct stat found {};
  return ::stat(path.c_str(), &found) == 0 && found.st_dev == wanted.st_dev &&
         found.st_ino == wanted.st_ino;
}

// All files of a directory without Ringside's files are a trace of another format.
std::vector<std::string> files_of_trace(const std::string& input) {
  std::vector<std::string> files;
  if (!trace::expand_trace_path(input, files, nullptr) || !files.empty()) return files;
  std::error_code code;
  std::filesystem::recursive_directory_iterator it(input, code);
  for (; !code && it != std::filesystem::recursive_directory_iterator(); it.increment(code))
    files.push_back(it->path().string());
  return files;
}

}  // namespace

std::string fault_of_replaced_input(const std::string& output,
                                    std::span<const std::string> inputs) {
  struct stat wanted {};
  if (output.empty() || output == "-" || ::stat(output.c_str(), &wanted) != 0 ||
      !S_ISREG(wanted.st_mode))
    return {};
  for (const std::string& input : inputs) {
    for (const std::string& file : files_of_trace(input)) {
      if (is_file(wanted, file))
        return output + ": is an input (" + file + ") and would be replaced; use another name";
    }
  }
  return {};
}

}  // namespace ringside::tool
