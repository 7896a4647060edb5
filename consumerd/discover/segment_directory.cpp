#include "consumerd/discover/segment_directory.hpp"

#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <memory>
#include <unistd.h>
#include <utility>

#include <sys/inotify.h>
#include <sys/stat.h>

#include "consumerd/log/log.hpp"
#include "shm-layout/segment_name.hpp"
#include "shm-layout/session_file.hpp"

namespace ringside::consumer {
namespace {

constexpr int kMostPieces = 16;  // of 16 KiB, each with a hundred names or more
// Between two calls. Any user can create such names; a scan finds those that are missed.
constexpr std::size_t kMostRequests = 100;
constexpr auto kScanInterval = std::chrono::seconds(1);

}  // namespace

bool SegmentDirectory::open(std::string* why) {
  inotify_ = UniqueFd(inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (!inotify_ || !watch()) {
    *why = "cannot watch " + path_ + ": " + error_text(errno) +
           "; --shm-dir must name the directory that the services' RINGSIDE_SHM_DIR names";
    return false;
  }
  return scan(why);
}

bool SegmentDirectory::watch() {
  struct stat info {};
  watch_ = inotify_add_watch(inotify_.get(), path_.c_str(), IN_CREATE | IN_MOVED_TO | IN_ONLYDIR);
  if (watch_ < 0 || stat(path_.c_str(), &info) != 0) return false;
  device_ = info.st_dev;
  inode_ = info.st_ino;
  return true;
}

bool SegmentDirectory::follow() {
  struct stat info {};
  if (stat(path_.c_str(), &info) != 0) return errno != ENOENT && errno != ENOTDIR;
  if (watch_ >= 0 && info.st_dev == device_ && info.st_ino == inode_) return true;
  if (watch_ >= 0) inotify_rm_watch(inotify_.get(), std::exchange(watch_, -1));
  std::string ignored;
  return watch() && scan(&ignored);
}

bool SegmentDirectory::scan(std::string* why) {
  last_scan_ = std::chrono::steady_clock::now();
  const std::unique_ptr<DIR, int (*)(DIR*)> dir(opendir(path_.c_str()), closedir);
  if (dir == nullptr) {
    *why = "cannot read " + path_ + ": " + error_text(errno);
    return false;
  }
  while (const dirent* const entry = readdir(dir.get())) {  // NOLINT(concurrency-mt-unsafe)
    add(entry->d_name);
  }
  return true;
}

void SegmentDirectory::add(const char* name) {
  if (!shm::service_of_segment_name(name).empty()) {
    pending_.insert(name);
  } else if (!shm::session_of_request(name).empty() && sessions_.size() < kMostRequests) {
    sessions_.emplace(shm::session_of_request(name));
  }
}

std::vector<std::string> SegmentDirectory::take_session_requests() {
  const std::set<std::string> names = std::exchange(sessions_, {});
  return {names.begin(), names.end()};
}

std::vector<std::string> SegmentDirectory::appeared() {
  alignas(inotify_event) char buffer[16384];
  for (int piece = 0; piece < kMostPieces; ++piece) {
    const ssize_t got = read(inotify_.get(), buffer, sizeof buffer);
    if (got <= 0) break;
    for (ssize_t at = 0; at < got;) {
      inotify_event event{};
      std::memcpy(&event, buffer + at, sizeof event);
      const char* const name = buffer + at + sizeof event;
      at += static_cast<ssize_t>(sizeof event) + event.len;
      if ((event.mask & IN_Q_OVERFLOW) != 0) {
        overflown_ = true;
      } else if ((event.mask & IN_IGNORED) != 0) {
        // The directory was removed or its file system unmounted: another one may have its inode
        // number by now.
        if (event.wd == watch_) watch_ = -1;
      } else if (event.len > 0) {
        add(name);
      }
    }
  }
  if (overflown_ && std::chrono::steady_clock::now() - last_scan_ >= kScanInterval) {
    overflown_ = false;
    std::string ignored;
    scan(&ignored);
  }
  const std::set<std::string> names = std::exchange(pending_, {});
  return {names.begin(), names.end()};
}

}  // namespace ringside::consumer
