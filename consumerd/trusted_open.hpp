#pragma once
// Opening files by name in directories where others can make names.
//
// Whatever stands behind a name may be exchanged at any instant, so only what fstat() says of an
// open file counts. Nothing is opened through a symbolic link or on another file system that is
// mounted there (openat2; without it at least the last part of the path is no link), and nothing
// blocks: a fifo, a device or a lease answers at once.

#include <string>
#include <vector>

#include <sys/types.h>

#include "consumerd/unique_fd.hpp"

struct stat;

namespace ringside::consumer {

// `dir`/`name`, where `name` is one component. `flags` as of open(2), `mode` only with O_CREAT.
// Empty with errno: ELOOP for a link, EXDEV for a mount.
UniqueFd open_in(const std::string& dir, const std::string& name, int flags, mode_t mode = 0);

// The same for an absolute path without any symbolic link in it.
UniqueFd open_without_links(const std::string& path, int flags, mode_t mode = 0);

// The user ids whose segments are served.
class AllowedUsers {
 public:
  // This process's own (effective) one, and `others`.
  explicit AllowedUsers(std::vector<uid_t> others = {});
  // Of a segment that was served before.
  static AllowedUsers anyone();

  bool allows(uid_t user) const;
  bool is_anyone() const { return anyone_; }
  std::size_t count() const { return users_.size(); }

 private:
  std::vector<uid_t> users_;
  bool anyone_ = false;
};

enum class Trust {
  kTrusted,
  kGone,     // it has no name any more
  kNotNow,   // `why`; but its owner can mend it
  kRefused,  // `why`
};

// Whether an open file may be a segment: regular, of an allowed user, not writable for everybody,
// and of one name only; of one that was served before (AllowedUsers::anyone) only that it is
// regular. `path` is for `why`.
Trust judge(const struct stat& info, const AllowedUsers& users, const std::string& path,
            std::string* why);

}  // namespace ringside::consumer
