#include "tools/ringctl/consumer_processes.hpp"

#include <algorithm>
#include <charconv>
#include <fcntl.h>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>
#include <sys/stat.h>

#include "shm-layout/segment_lock.hpp"
#include "shm-layout/segment_name.hpp"
#include "tools/live/segment_file_lock.hpp"
#include "tools/ringctl/descriptor_links.hpp"

namespace ringside::tool {
namespace {

namespace fs = std::filesystem;

constexpr int kOpenFlags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;

// Calls `check` for each process that this user may look at, until it returns true.
template <typename Check>
pid_t find_process(const Check& check) {
  std::error_code error;
  for (fs::directory_iterator it("/proc", error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    pid_t pid = 0;
    const auto number = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (number.ptr == name.data() + name.size() && pid != getpid() && check(pid)) return pid;
  }
  return 0;
}

bool has_open(pid_t pid, const struct stat& file) {
  return any_descriptor(pid, [&file](const std::string& link) {
    struct stat info {};
    return stat(link.c_str(), &info) == 0 && info.st_dev == file.st_dev &&
           info.st_ino == file.st_ino;
  });
}

// Calls `check` for the name of each file of `shm_dir` that the process has open, until it returns
// true.
template <typename Check>
bool any_name(pid_t pid, const std::string& shm_dir, const Check& check) {
  std::error_code error;
  const std::string directory = fs::canonical(shm_dir, error).string() + "/";
  return any_descriptor(pid, [&](const std::string& link) {
    const std::string path = path_of_link(link);
    return path.starts_with(directory) && check(std::string_view(path).substr(directory.size()));
  });
}

}  // namespace

std::vector<ConsumerProcess> consumer_processes(const std::string& shm_dir, std::string* why) {
  std::vector<ConsumerProcess> found;
  std::error_code error;
  for (fs::directory_iterator it(shm_dir, error), end; !error && it != end; it.increment(error)) {
    const std::string path = it->path().string();
    if (!it->path().filename().string().starts_with(shm::kStagingPrefix)) continue;
    ConsumerProcess consumer;
    consumer.staging_path = path;
    consumer.staging = OwnedFd(open(path.c_str(), O_RDWR | kOpenFlags));
    struct stat info {};
    if (!consumer.staging) {
      // The file of another user, which may have a living consumerd.
      if (access(path.c_str(), R_OK) != 0 && errno == EACCES) found.push_back(std::move(consumer));
      continue;
    }
    if (fstat(consumer.staging.get(), &info) != 0 || !S_ISREG(info.st_mode) ||
        !is_byte_locked(consumer.staging.get(), shm::kStagingLockByte)) {
      continue;
    }
    consumer.pid = find_process([&info](pid_t pid) { return has_open(pid, info); });
    const bool is_known = std::any_of(found.begin(), found.end(), [&](const auto& other) {
      return consumer.pid != 0 && other.pid == consumer.pid;
    });
    if (!is_known) found.push_back(std::move(consumer));
  }
  if (error) {
    *why = fmt::format("cannot read {}: {}; set --shm-dir to the directory of the segments",
                       shm_dir, error.message());
    return {};
  }
  std::sort(found.begin(), found.end(),
            [](const auto& left, const auto& right) { return left.pid < right.pid; });
  return found;
}

bool has_staging(pid_t pid, const std::string& shm_dir, const std::string& before) {
  const std::string old = before.substr(before.rfind('/') + 1);
  return any_name(pid, shm_dir, [&old](std::string_view name) {
    return name.starts_with(shm::kStagingPrefix) && name != old;
  });
}

std::vector<std::string> drained_segments(const std::string& shm_dir, pid_t pid) {
  std::vector<std::string> drained;
  any_name(pid, shm_dir, [&](std::string_view name) {
    if (shm::service_of_segment_name(name).empty()) return false;
    const std::string path = fmt::format("{}/{}", shm_dir, name);
    const OwnedFd segment(open(path.c_str(), O_RDONLY | kOpenFlags));
    if (segment && is_byte_locked(segment.get(), shm::kConsumerLockByte)) drained.push_back(path);
    return false;
  });
  std::sort(drained.begin(), drained.end());
  drained.erase(std::unique(drained.begin(), drained.end()), drained.end());
  return drained;
}

bool lock_for_upgrade(const ConsumerProcess& consumer) {
  struct flock lock = byte_lock(shm::kUpgradeLockByte);
  return fcntl(consumer.staging.get(), F_OFD_SETLK, &lock) == 0;
}

}  // namespace ringside::tool
