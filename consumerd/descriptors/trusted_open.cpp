#include "consumerd/descriptors/trusted_open.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <fstream>
#include <unistd.h>

#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>

namespace ringside::consumer {
namespace {

constexpr int kAlways = O_CLOEXEC | O_NOFOLLOW;

UniqueFd open_at(int dir, const std::string& path, int flags, mode_t mode, unsigned resolve) {
  open_how how{};
  // With O_PATH the kernel rejects flags that have no meaning there.
  how.flags = static_cast<unsigned>(flags | kAlways | ((flags & O_PATH) != 0 ? 0 : O_NONBLOCK));
  how.mode = (flags & O_CREAT) != 0 ? mode : 0;
  how.resolve = resolve | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  const long fd = syscall(SYS_openat2, dir, path.c_str(), &how, sizeof how);
  // Linux before 5.6, or a container that does not allow the call.
  if (fd < 0 && (errno == ENOSYS || errno == EPERM)) {
    return UniqueFd(openat(dir, path.c_str(), static_cast<int>(how.flags), mode));
  }
  return UniqueFd(static_cast<int>(fd));
}

// The id that stands for all users that this user namespace does not map. Nothing if all are
// mapped.
std::optional<uid_t> unmapped_user() {
  std::uint64_t first = 0;
  std::uint64_t outside = 0;
  std::uint64_t count = 0;
  std::ifstream map("/proc/self/uid_map");
  if (!(map >> first >> outside >> count) || count >= UINT32_MAX) return {};
  constexpr uid_t kUsual = 65534;
  uid_t overflow = kUsual;
  std::ifstream("/proc/sys/kernel/overflowuid") >> overflow;
  return overflow;
}

}  // namespace

UniqueFd open_in(const std::string& dir, const std::string& name, int flags, mode_t mode) {
  // Links on the way to the directory were chosen with the directory (an option or path), and are
  // followed.
  const UniqueFd parent(open(dir.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!parent) return {};
  return open_at(parent.get(), name, flags, mode, RESOLVE_BENEATH | RESOLVE_NO_XDEV);
}

UniqueFd open_without_links(const std::string& path, int flags, mode_t mode) {
  return open_at(AT_FDCWD, path, flags, mode, 0);
}

AllowedUsers::AllowedUsers(std::vector<uid_t> others, std::vector<gid_t> groups)
    : users_(std::move(others)), groups_(std::move(groups)), unmapped_(unmapped_user()) {
  users_.push_back(geteuid());
  std::sort(users_.begin(), users_.end());
  users_.erase(std::unique(users_.begin(), users_.end()), users_.end());
}

AllowedUsers AllowedUsers::anyone() {
  AllowedUsers users;
  users.anyone_ = true;
  return users;
}

bool AllowedUsers::allows(uid_t user, gid_t group) const {
  return anyone_ || std::binary_search(users_.begin(), users_.end(), user) ||
         std::find(groups_.begin(), groups_.end(), group) != groups_.end();
}

Trust judge(const struct stat& info, const AllowedUsers& users, const std::string& path,
            std::string* why) {
  if (!S_ISREG(info.st_mode)) {
    *why = path + " is not a regular file; remove it";
    return Trust::kRefused;
  }
  if (!users.allows(info.st_uid, info.st_gid)) {
    const std::string uid = std::to_string(info.st_uid);
    if (users.is_unmapped(info.st_uid)) {
      *why = path + " is owned by a user that this user namespace does not map and shows as " +
             uid + "; map that user in the namespace, or run consumerd outside it";
      return Trust::kRefused;
    }
    *why = path + " is owned by user " + uid +
           ", which this consumerd does not serve; to serve it, start consumerd with " +
           "--allow-uid " + uid + ", or with --allow-group and the service in that group";
    return Trust::kRefused;
  }
  if (info.st_nlink == 0) return Trust::kGone;
  if (users.is_anyone()) return Trust::kTrusted;
  if ((info.st_mode & S_IWOTH) != 0) {
    *why = path + " is writable by all users; set another mode in its service (RINGSIDE_MODE)";
    return Trust::kNotNow;
  }
  if (info.st_nlink > 1) {
    *why = path + " has a second name (hard link); remove one of them";
    return Trust::kNotNow;
  }
  return Trust::kTrusted;
}

}  // namespace ringside::consumer
