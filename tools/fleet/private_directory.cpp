#include "tools/fleet/private_directory.hpp"

#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

namespace ringside::fleet {
namespace {

constexpr std::string_view kPrefix = "ringside-fleet.";
constexpr std::string_view kPattern = "XXXXXX";  // for mkdtemp()
constexpr mode_t kMode = S_IRWXU;                // as mkdtemp() creates it
// One that was created just now need not be locked yet.
constexpr time_t kLeastAgeS = 60;

int open_directory(const std::string& path) {
  return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

bool is_name_of_ours(std::string_view name) {
  return name.size() == kPrefix.size() + kPattern.size() && name.starts_with(kPrefix);
}

void remove_if_left(const std::string& path) {
  const int fd = open_directory(path);
  if (fd < 0) return;
  struct stat status {};
  const bool is_left = ::fstat(fd, &status) == 0 && status.st_uid == ::geteuid() &&
                       (status.st_mode & ACCESSPERMS) == kMode &&
                       ::time(nullptr) - status.st_mtime >= kLeastAgeS &&
                       ::flock(fd, LOCK_EX | LOCK_NB) == 0;
  std::error_code ignored;
  if (is_left) std::filesystem::remove_all(path, ignored);
  ::close(fd);
}

}  // namespace

std::unique_ptr<PrivateDirectory> PrivateDirectory::create(std::string* why) {
  const char* const wanted =
      std::getenv("TMPDIR");  // NOLINT(concurrency-mt-unsafe): no code sets variables
  const std::string parent = wanted != nullptr && *wanted != '\0' ? wanted : "/tmp";
  std::error_code code;
  for (std::filesystem::directory_iterator at(parent, code), end; !code && at != end;
       at.increment(code)) {
    if (is_name_of_ours(at->path().filename().string())) remove_if_left(at->path().string());
  }
  std::string path = fmt::format("{}/{}{}", parent, kPrefix, kPattern);
  if (::mkdtemp(path.data()) == nullptr) {
    *why = parent + ": cannot create a directory in it: " + std::generic_category().message(errno) +
           "; set TMPDIR to another directory";
    return nullptr;
  }
  const int lock = open_directory(path);
  if (lock < 0 || ::flock(lock, LOCK_EX | LOCK_NB) != 0) {
    *why = path + ": cannot be locked: " + std::generic_category().message(errno) +
           "; set TMPDIR to another directory";
    if (lock >= 0) ::close(lock);
    ::rmdir(path.c_str());
    return nullptr;
  }
  return std::unique_ptr<PrivateDirectory>(new PrivateDirectory(std::move(path), lock));
}

PrivateDirectory::~PrivateDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
  ::close(lock_);
}

}  // namespace ringside::fleet
