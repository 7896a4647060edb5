#include "tools/fleet/private_directory.hpp"

#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <unistd.h>

#include <sys/file.h>
#include <sys/stat.h>

namespace ringside::fleet {
namespace {

constexpr std::string_view kPrefix = "ringside-fleet.";
// One that was created just now need not be locked yet.
constexpr time_t kLeastAgeS = 60;

int open_directory(const std::string& path) {
  return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

void remove_if_left(const std::string& path) {
  const int fd = open_directory(path);
  if (fd < 0) return;
  struct stat status {};
  const bool is_left = ::fstat(fd, &status) == 0 && status.st_uid == ::geteuid() &&
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
    if (at->path().filename().string().starts_with(kPrefix)) remove_if_left(at->path().string());
  }
  std::string path = parent + "/" + std::string(kPrefix) + "XXXXXX";
  if (::mkdtemp(path.data()) == nullptr) {
    *why = parent + ": cannot create a directory in it: " + std::generic_category().message(errno) +
           "; set TMPDIR to another directory";
    return nullptr;
  }
  const int lock = open_directory(path);
  if (lock >= 0) ::flock(lock, LOCK_EX | LOCK_NB);
  return std::unique_ptr<PrivateDirectory>(new PrivateDirectory(std::move(path), lock));
}

PrivateDirectory::~PrivateDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
  if (lock_ >= 0) ::close(lock_);
}

}  // namespace ringside::fleet
