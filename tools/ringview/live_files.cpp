#include "tools/ringview/live_files.hpp"

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <sys/stat.h>

#include "trace-format/reader/trace_paths.hpp"

namespace ringside::tool {
namespace {

constexpr std::int64_t kNsPerS = 1'000'000'000;

std::string why_not_read() {
  const int error = errno;
  return std::generic_category().message(error) +
         (error == EACCES ? "; run ringview as a user who may read it" : "");
}

}  // namespace

bool look_at_files(const std::vector<std::string>& paths, LiveFiles& found, std::string* why) {
  for (const std::string& path : paths) {
    std::error_code code;
    if (!std::filesystem::exists(path, code)) {
      *why = path + ": " + (code ? code.message() : "does not exist") + "; check the path";
      return false;
    }
    std::vector<std::string> names;
    trace::ReadError error;
    if (!trace::expand_trace_path(path, names, &error)) {
      *why = error.text();
      return false;
    }
    for (std::string& name : names) {
      struct stat status {};
      // One that was removed meanwhile has none.
      if (::stat(name.c_str(), &status) != 0 || status.st_size == 0) continue;
      if (::access(name.c_str(), R_OK) != 0) {
        found.unreadable.push_back({std::move(name), why_not_read()});
        continue;
      }
      found.files.push_back({std::move(name), static_cast<std::uint64_t>(status.st_size),
                             status.st_mtim.tv_sec * kNsPerS + status.st_mtim.tv_nsec});
    }
  }
  return true;
}

}  // namespace ringside::tool
