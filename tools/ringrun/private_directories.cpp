#include "tools/ringrun/private_directories.hpp"

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "tools/ringrun/run_message.hpp"

namespace ringside::tool {
namespace {

// Segments of a few threads, and the staging file of consumerd.
constexpr std::uint64_t kLeastFreeBytes = 8U << 20;

std::string variable_or(const char* name, const char* otherwise) {
  const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): one thread
  return value == nullptr || *value == '\0' ? otherwise : value;
}

// Absolute, because consumerd and the program may use it from other working directories. Empty with
// `*why` on failure.
std::string create_below(const std::string& folder, const char* name, std::string* why) {
  std::error_code error;
  std::string path = (std::filesystem::absolute(folder, error) / name).string();
  if (!error && mkdtemp(path.data()) != nullptr) return path;
  *why = fmt::format("'{}': {}", folder, error ? error.message() : reason_of(errno));
  return {};
}

// A file system without limits states no blocks.
bool has_room(const std::string& folder, std::string* why) {
  struct statvfs state {};
  if (statvfs(folder.c_str(), &state) != 0 || state.f_blocks == 0) return true;
  const std::uint64_t free_bytes = std::uint64_t{state.f_bavail} * state.f_frsize;
  if (free_bytes >= kLeastFreeBytes) return true;
  *why = fmt::format("'{}': only {} KiB free", folder, free_bytes >> 10);
  return false;
}

std::string create_for_shared_memory(std::string* why) {
  const std::string first = variable_or("RINGSIDE_SHM_DIR", "/dev/shm");
  std::vector<std::string> reasons;
  for (const std::string& folder : {first, variable_or("TMPDIR", "/tmp")}) {
    std::string reason;
    if (has_room(folder, &reason)) {
      std::string path = create_below(folder, "ringrun.XXXXXX", &reason);
      if (!path.empty()) {
        if (!reasons.empty()) {
          report(
              fmt::format("cannot use shared memory in {}; using '{}', where log calls may be "
                          "slower; free space there, or set RINGSIDE_SHM_DIR to another tmpfs",
                          reasons.front(), folder));
        }
        return path;
      }
    }
    reasons.push_back(reason);
  }
  *why = fmt::format(
      "no directory for shared memory: {}; free space there, or set "
      "RINGSIDE_SHM_DIR to a writable directory on a tmpfs",
      fmt::join(reasons, ", "));
  return {};
}

}  // namespace

std::optional<PrivateDirectories> create_private_directories(const std::string& keep,
                                                             std::string* why) {
  PrivateDirectories made;
  const bool creates = !keep.empty() && mkdir(keep.c_str(), 0777) == 0;
  if (!creates && !keep.empty() && errno != EEXIST) {
    *why = fmt::format("cannot create '{}' for --keep: {}; use a directory below an existing one",
                       keep, reason_of(errno));
    return {};
  }
  std::string reason;
  // Below `keep`, so that files only need a new name; not in it, because records of earlier runs
  // must not be printed.
  made.traces = keep.empty()
                    ? create_below(variable_or("TMPDIR", "/tmp"), "ringrun.XXXXXX", &reason)
                    : create_below(keep, ".ringrun.XXXXXX", &reason);
  if (made.traces.empty()) {
    *why = fmt::format("cannot create a directory for traces below {}; {}", reason,
                       keep.empty() ? "set TMPDIR to a writable directory"
                                    : "give a writable directory to --keep");
    return {};
  }
  if (!keep.empty()) made.keep = std::filesystem::path(made.traces).parent_path().string();
  made.shared_memory = create_for_shared_memory(why);
  if (!made.shared_memory.empty()) return made;
  rmdir(made.traces.c_str());
  if (creates) rmdir(keep.c_str());
  return {};
}

}  // namespace ringside::tool
