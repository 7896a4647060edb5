#pragma once
// Opens files by name in directories where other users can create names.
//
// The file that a name refers to can be exchanged at any instant, so only the fstat() of an open
// file counts. Nothing is opened through a symbolic link, or on another file system that is mounted
// there (openat2; without it, at least the last part of the path is not a link), and nothing
// blocks: a fifo, a device or a lease answers at once.

#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "consumerd/descriptors/unique_fd.hpp"

struct stat;

namespace ringside::consumer {

// Opens `dir`/`name`, where `name` is one component. `flags` as for open(2), `mode` only with
// O_CREAT. Empty with errno: ELOOP for a link, EXDEV for a mount.
UniqueFd open_in(const std::string& dir, const std::string& name, int flags, mode_t mode = 0);

// The same for an absolute path that contains no symbolic link.
UniqueFd open_without_links(const std::string& path, int flags, mode_t mode = 0);

// Whose segments are served.
class AllowedUsers {
 public:
  // This process's own (effective) user id, `others`, and any user whose segment has one of
  // `groups`: only a member of a group can give a file that group. Create it before the sandbox is
  // entered: it reads the users of this user namespace.
  explicit AllowedUsers(std::vector<uid_t> others = {}, std::vector<gid_t> groups = {});
  // For a segment that was served before.
  static AllowedUsers anyone();

  // The owner and the group of a file.
  bool allows(uid_t user, gid_t group) const;
  bool is_anyone() const { return anyone_; }
  // Whether this user namespace shows `user` for all users that it does not map.
  bool is_unmapped(uid_t user) const { return unmapped_ == user; }
  // Whether users that listed() does not contain are allowed, too.
  bool are_open_ended() const { return anyone_ || !groups_.empty(); }
  const std::vector<uid_t>& listed() const { return users_; }

 private:
  std::vector<uid_t> users_;
  std::vector<gid_t> groups_;
  bool anyone_ = false;
  std::optional<uid_t> unmapped_;
};

enum class Trust {
  kTrusted,
  kGone,     // it no longer has a name
  kNotNow,   // `why`; but its owner can fix it
  kRefused,  // `why`
};

// Whether an open file may be a segment: regular, owned by an allowed user or
// of an allowed group, not writable by everyone, and with one name only. For a segment that was
// served before (AllowedUsers::anyone) it need only be regular. `path` is for `why`.
Trust judge(const struct stat& info, const AllowedUsers& users, const std::string& path,
            std::string* why);

}  // namespace ringside::consumer
