// The directories that a sandboxed consumerd may access. Uses bare system calls: the library has no
// wrappers, and the kernel headers of the build may be older than the kernel.

#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

#include <linux/landlock.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "consumerd/descriptors/unique_fd.hpp"
#include "consumerd/sandbox/sandbox.hpp"
#include "consumerd/sandbox/sanitizer_build.hpp"

namespace ringside::consumer {
namespace {

// struct landlock_ruleset_attr in ABI 6.
struct Ruleset {
  std::uint64_t handled_access_fs;
  std::uint64_t handled_access_net;  // since ABI 4
  std::uint64_t scoped;              // since ABI 6
};

constexpr std::uint64_t kTruncate = 1U << 14;
constexpr std::uint64_t kRead = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t kWork = kRead | LANDLOCK_ACCESS_FS_WRITE_FILE |
                                LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_REMOVE_FILE |
                                kTruncate;

// All accesses that a kernel of this ABI can restrict.
Ruleset all_of(int abi) {
  Ruleset ruleset{};
  ruleset.handled_access_fs = (std::uint64_t{1} << 13) - 1;
  if (abi >= 2) ruleset.handled_access_fs |= LANDLOCK_ACCESS_FS_REFER;
  if (abi >= 3) ruleset.handled_access_fs |= kTruncate;
  if (abi >= 5) ruleset.handled_access_fs |= 1U << 15;  // ioctl on devices
  if (abi >= 4) ruleset.handled_access_net = 3;         // TCP: bind, connect
  if (abi >= 6) ruleset.scoped = 3;                     // abstract sockets, signals
  return ruleset;
}

std::size_t bytes_of(int abi) {
  return abi < 4 ? sizeof(std::uint64_t) : (abi < 6 ? 2 : 3) * sizeof(std::uint64_t);
}

bool allow(int ruleset, const std::string& path, std::uint64_t access) {
  const UniqueFd fd(open(path.c_str(), O_PATH | O_CLOEXEC));
  landlock_path_beneath_attr rule{};
  rule.allowed_access = access;
  rule.parent_fd = fd.get();
  return fd && syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
}

}  // namespace

std::string lasting_directory(const std::string& directory) {
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(directory, error);
  const std::filesystem::path parent = real.parent_path();
  struct statx info {};
  if (error || parent == real.root_path() ||
      statx(AT_FDCWD, real.c_str(), AT_SYMLINK_NOFOLLOW, STATX_TYPE, &info) != 0 ||
      (info.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0 ||
      access(parent.c_str(), W_OK | X_OK) != 0) {
    return directory;
  }
  return parent.string();
}

std::string restrict_directories(const std::vector<std::string>& directories,
                                 const std::vector<std::string>& readable, int* abi) {
  const long version =
      syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  *abi = version > 0 ? static_cast<int>(version) : 0;
  if (*abi == 0)
    return "landlock is not available in this kernel or container (" + error_text(errno) + ")";
  const Ruleset all = all_of(*abi);
  const UniqueFd ruleset(
      static_cast<int>(syscall(SYS_landlock_create_ruleset, &all, bytes_of(*abi), 0)));
  if (!ruleset) return "cannot create landlock rules: " + error_text(errno);
  for (const std::string& directory : directories) {
    if (!allow(ruleset.get(), directory, kWork & all.handled_access_fs)) {
      return "cannot create a landlock rule for " + directory + ": " + error_text(errno);
    }
  }
  for (const std::string& directory : readable) {
    if (!allow(ruleset.get(), directory, LANDLOCK_ACCESS_FS_READ_FILE)) {
      return "cannot create a landlock rule for " + directory + ": " + error_text(errno);
    }
  }
  // The boot of a file. Without it, files of earlier boots are not recognized as closed.
  allow(ruleset.get(), "/proc/sys/kernel/random/boot_id", LANDLOCK_ACCESS_FS_READ_FILE);
  // A sanitizer reads the memory maps, its own program and its libraries for its report.
  if (kSanitizerBuild) allow(ruleset.get(), "/", kRead);
  if (syscall(SYS_landlock_restrict_self, ruleset.get(), 0) != 0) {
    return "cannot enforce landlock rules: " + error_text(errno);
  }
  return {};
}

}  // namespace ringside::consumer
