#include "consumerd/discover/consumer_presence.hpp"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

#include <sys/stat.h>

#include "consumerd/descriptors/file_lock.hpp"
#include "consumerd/log/log.hpp"
#include "shm-layout/consumer_presence.hpp"

namespace ringside::consumer {
namespace {

constexpr mode_t kPresenceMode = 0644;

// Opens the file of another consumerd, of this or another user, or creates one. Never with one call
// for both: in a directory that all users may write to, the kernel refuses O_CREAT for a file of
// another user.
UniqueFd open_or_create(const std::string& shm_dir, const std::string& name) {
  UniqueFd fd = open_in(shm_dir, name, O_RDWR);
  if (!fd && errno == EACCES) fd = open_in(shm_dir, name, O_RDONLY);
  if (fd || errno != ENOENT) return fd;
  fd = open_in(shm_dir, name, O_RDWR | O_CREAT | O_EXCL, kPresenceMode);
  if (fd) fchmod(fd.get(), kPresenceMode);  // the umask may have denied others read access
  return fd;
}

}  // namespace

bool ConsumerPresence::show(const std::string& shm_dir, const AllowedUsers& users,
                            std::string* why) {
  // Another consumerd may remove the file after it was opened and before it is locked.
  constexpr int kAttempts = 10;
  const std::string name(shm::kPresenceName);
  path_ = shm_dir + "/" + name;
  int error = EBUSY;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    fd_ = open_or_create(shm_dir, name);
    struct stat info {};
    if (!fd_ || fstat(fd_.get(), &info) != 0) {
      error = errno;
      if (error == EEXIST || error == ENOENT) continue;
      break;
    }
    bool locked = S_ISREG(info.st_mode);
    // Members of groups are not known in advance.
    if (users.are_open_ended()) locked = locked && try_lock_whole_shared(fd_.get());
    for (const uid_t user : users.listed()) {
      locked = locked && try_lock_byte_shared(fd_.get(), shm::presence_byte(user));
    }
    if (!locked) {
      error = EBUSY;
      continue;
    }
    if (reachable()) return true;
  }
  fd_ = UniqueFd();
  *why = "cannot announce this consumerd to services: " + path_ + ": " + error_text(error) +
         "; a service whose ring fills up before its segment is attached waits for less time: "
         "remove the file";
  return false;
}

bool ConsumerPresence::reachable() const {
  struct stat named {};
  struct stat open_one {};
  return fd_ && stat(path_.c_str(), &named) == 0 && fstat(fd_.get(), &open_one) == 0 &&
         named.st_dev == open_one.st_dev && named.st_ino == open_one.st_ino;
}

void ConsumerPresence::withdraw() {
  // Only the last user of the file can lock all of it. A consumerd that arrives at the same time
  // checks whether the file that it has locked still has its name.
  if (fd_ && reachable() && try_lock_whole(fd_.get())) unlink(path_.c_str());
  fd_ = UniqueFd();
}

}  // namespace ringside::consumer
