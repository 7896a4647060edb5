#include "consumerd/text/text_file.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <utility>
#include <vector>

#include <sys/stat.h>

#include "consumerd/descriptors/file_lock.hpp"
#include "consumerd/descriptors/trusted_open.hpp"
#include "consumerd/log/log.hpp"

namespace ringside::consumer {
namespace {

constexpr mode_t kTextFileMode = 0640;
constexpr std::int64_t kLockByte = 0;
constexpr std::string_view kTextSuffix = ".log";
constexpr int kLeastDigits = 6;  // so that a listing by name is in the order of time

struct Rotated {
  std::uint64_t number = 0;
  std::string name;
};

// The rotated files of the service, oldest first.
std::vector<Rotated> rotated_files(const std::string& dir, const std::string& service) {
  std::vector<Rotated> found;
  const std::unique_ptr<DIR, int (*)(DIR*)> open_dir(opendir(dir.c_str()), closedir);
  if (open_dir == nullptr) return found;
  const std::string prefix = service + ".";
  while (const dirent* const entry = readdir(open_dir.get())) {  // NOLINT(concurrency-mt-unsafe)
    std::string_view rest = entry->d_name;
    if (!rest.starts_with(prefix) || !rest.ends_with(kTextSuffix) ||
        rest.size() <= prefix.size() + kTextSuffix.size()) {
      continue;
    }
    rest = rest.substr(prefix.size(), rest.size() - prefix.size() - kTextSuffix.size());
    Rotated file;
    const auto [end, error] = std::from_chars(rest.begin(), rest.end(), file.number);
    if (error != std::errc() || end != rest.end()) continue;
    file.name = entry->d_name;
    found.push_back(std::move(file));
  }
  std::sort(found.begin(), found.end(),
            [](const Rotated& a, const Rotated& b) { return a.number < b.number; });
  return found;
}

std::string numbered_name(const std::string& service, std::uint64_t number) {
  std::string digits = std::to_string(number);
  if (digits.size() < kLeastDigits) digits.insert(0, kLeastDigits - digits.size(), '0');
  return service + "." + digits + std::string(kTextSuffix);
}

}  // namespace

TextFile::TextFile(std::string dir, std::string service)
    : dir_(std::move(dir)),
      service_(std::move(service)),
      name_(service_ + std::string(kTextSuffix)) {}

bool TextFile::open(std::uint64_t device, std::uint64_t inode, std::uint64_t bytes,
                    std::string* why) {
  UniqueFd fd = open_in(dir_, name_, O_RDWR | O_CREAT, kTextFileMode);
  struct stat info {};
  if (!fd || fstat(fd.get(), &info) != 0) {
    *why = "cannot open " + path() + ": " +
           (errno == ELOOP ? std::string("it is a symbolic link; remove the link")
                           : error_text(errno) + "; make the directory writable for this user");
    return false;
  }
  if (!S_ISREG(info.st_mode) || info.st_nlink != 1) {
    *why = "cannot write " + path() +
           ": not a regular file with one name; remove it or use another --text directory";
    return false;
  }
  if (!try_lock_byte(fd.get(), kLockByte) && (errno == EAGAIN || errno == EACCES)) {
    *why = "cannot write " + path() + ": another consumerd writes it; use another --text directory";
    return false;
  }
  auto size = static_cast<std::uint64_t>(info.st_size);
  if (info.st_dev == device && info.st_ino == inode && size > bytes) {
    if (ftruncate(fd.get(), static_cast<off_t>(bytes)) != 0) {
      *why = "cannot shorten " + path() + ": " + error_text(errno);
      return false;
    }
    size = bytes;
  }
  fd_ = std::move(fd);
  device_ = info.st_dev;
  inode_ = info.st_ino;
  bytes_ = size;
  return true;
}

bool TextFile::has_name() const {
  struct stat info {};
  return fstatat(AT_FDCWD, path().c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 &&
         info.st_dev == device_ && info.st_ino == inode_;
}

bool TextFile::append(std::string_view text, std::size_t* written, std::string* why) {
  struct stat info {};
  // Another program may have truncated the file, to empty it.
  if (fstat(fd_.get(), &info) == 0 && static_cast<std::uint64_t>(info.st_size) < bytes_) {
    bytes_ = static_cast<std::uint64_t>(info.st_size);
  }
  while (*written < text.size()) {
    const ssize_t got = pwrite(fd_.get(), text.data() + *written, text.size() - *written,
                               static_cast<off_t>(bytes_));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      *why = "cannot write " + path() + ": " + error_text(got == 0 ? ENOSPC : errno);
      return false;
    }
    *written += static_cast<std::size_t>(got);
    bytes_ += static_cast<std::uint64_t>(got);
  }
  return true;
}

bool TextFile::rotate(std::string* why) {
  const std::vector<Rotated> rotated = rotated_files(dir_, service_);
  const std::uint64_t number = rotated.empty() ? 1 : rotated.back().number + 1;
  const std::string next = dir_ + "/" + numbered_name(service_, number);
  if (renameat2(AT_FDCWD, path().c_str(), AT_FDCWD, next.c_str(), RENAME_NOREPLACE) != 0) {
    *why = "cannot rename " + path() + " to " + next + ": " + error_text(errno);
    return false;
  }
  close();
  return true;
}

bool TextFile::remove_surplus(const TextPolicy& policy, std::string* why) const {
  if (policy.keep_files == 0 && policy.keep_bytes == 0) return true;
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  std::vector<Rotated> rotated = rotated_files(dir_, service_);
  // The newest first: what is beyond the limits is removed.
  for (auto file = rotated.rbegin(); file != rotated.rend(); ++file) {
    const std::string name = dir_ + "/" + file->name;
    struct stat info {};
    if (fstatat(AT_FDCWD, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (!S_ISREG(info.st_mode)) continue;
    ++files;
    bytes += static_cast<std::uint64_t>(info.st_size);
    const bool surplus = (policy.keep_files != 0 && files > policy.keep_files) ||
                         (policy.keep_bytes != 0 && bytes > policy.keep_bytes);
    if (!surplus || unlink(name.c_str()) == 0 || errno == ENOENT) continue;
    *why = "cannot remove " + name + ": " + error_text(errno) +
           "; make the text directory writable for this user";
    return false;
  }
  return true;
}

}  // namespace ringside::consumer
