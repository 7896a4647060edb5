#include "tools/files/output_file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <stdlib.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <sys/stat.h>

#include "tools/files/path_scheme.hpp"

namespace ringside::tool {
namespace {

std::string directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string exists(const std::string& path) {
  return path + " already exists; --force replaces it";
}

}  // namespace

unsigned mode_like(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? status.st_mode & 0666U : 0640U;
}

std::unique_ptr<OutputFile> OutputFile::create(const std::string& path, const How& how,
                                               std::string* error) {
  if (!scheme_of(path).empty()) {
    *error = unsupported_scheme(path, "the name of a file");
    return nullptr;
  }
  struct stat status {};
  if (::lstat(path.c_str(), &status) == 0) {
    if (!how.replace) {
      *error = exists(path);
      return nullptr;
    }
    if (!S_ISREG(status.st_mode)) {
      *error = path + " exists and is not a regular file; use another name";
      return nullptr;
    }
  }
  std::string temporary = path + ".XXXXXX";
  const int fd = ::mkostemp(temporary.data(), O_CLOEXEC);
  if (fd < 0) {
    *error = path + ": cannot be created: " + std::generic_category().message(errno) +
             "; check the directory and its permissions";
    return nullptr;
  }
  std::unique_ptr<OutputFile> file(
      new OutputFile(path, std::move(temporary), fd, how.replace, kGatheredBytes));
  if (::fchmod(fd, how.mode) != 0) file->error_ = errno;
  return file;
}

std::unique_ptr<OutputFile> OutputFile::create_unnamed(std::string* error,
                                                       std::size_t gathered_bytes) {
  const char* const wanted =
      std::getenv("TMPDIR");  // NOLINT(concurrency-mt-unsafe): no code sets variables
  const std::string directory = wanted != nullptr && *wanted != '\0' ? wanted : "/tmp";
  std::string temporary = directory + "/ringside.XXXXXX";
  const int fd = ::mkostemp(temporary.data(), O_CLOEXEC);
  if (fd < 0) {
    const int code = errno;
    *error = directory + ": cannot create a file in it: " + std::generic_category().message(code) +
             (code == EMFILE || code == ENFILE
                  ? "; raise the limit on open files (ulimit -n), or name fewer files at once"
                  : "; set TMPDIR to another directory");
    return nullptr;
  }
  ::unlink(temporary.c_str());
  return std::unique_ptr<OutputFile>(
      new OutputFile("a file in " + directory, {}, fd, false, gathered_bytes));
}

OutputFile::OutputFile(std::string path, std::string temporary, int fd, bool replace,
                       std::size_t gathered_bytes)
    : path_(std::move(path)),
      temporary_(std::move(temporary)),
      fd_(fd),
      replace_(replace),
      gathered_bytes_(gathered_bytes) {
  buffer_.reserve(gathered_bytes);
}

OutputFile::~OutputFile() {
  ::close(fd_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

bool OutputFile::write(std::span<const std::byte> bytes) {
  bytes_ += bytes.size();
  if (buffer_.empty() && bytes.size() >= gathered_bytes_) return put(bytes);
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  return buffer_.size() < gathered_bytes_ ? error_ == 0 : flush();
}

bool OutputFile::overwrite(std::uint64_t offset, std::span<const std::byte> bytes) {
  if (!flush()) return false;
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      error_ = written < 0 ? errno : EIO;
      return false;
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    offset += static_cast<std::uint64_t>(written);
  }
  return true;
}

void OutputFile::release(std::uint64_t begin, std::uint64_t end) {
  if (begin >= end) return;
  ::fallocate(fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(begin),
              static_cast<off_t>(end - begin));
}

bool OutputFile::flush() {
  put(buffer_);
  buffer_.clear();
  return error_ == 0;
}

bool OutputFile::put(std::span<const std::byte> left) {
  while (error_ == 0 && !left.empty()) {
    const ssize_t written = ::write(fd_, left.data(), left.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      error_ = written < 0 ? errno : EIO;
    } else {
      left = left.subspan(static_cast<std::size_t>(written));
    }
  }
  return error_ == 0;
}

bool OutputFile::give_name() {
  if (replace_) return ::rename(temporary_.c_str(), path_.c_str()) == 0;
  if (::renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, path_.c_str(), RENAME_NOREPLACE) == 0) {
    return true;
  }
  // Some file systems do not support this.
  if (errno != EINVAL && errno != ENOSYS) return false;
  if (::link(temporary_.c_str(), path_.c_str()) != 0) return false;
  ::unlink(temporary_.c_str());
  return true;
}

bool OutputFile::has_failed(std::string* error) const {
  if (error_ != 0) *error = failure();
  return error_ != 0;
}

std::string OutputFile::failure() const {
  if (error_ == EEXIST) return exists(path_);
  return path_ + ": cannot be written: " + std::generic_category().message(error_) +
         "; check the free space and the permissions";
}

std::string OutputFile::readable_path(std::string* error) {
  if (flush()) return "/proc/self/fd/" + std::to_string(fd_);
  *error = failure();
  return {};
}

bool OutputFile::commit(std::string* error) {
  if (flush() && ::fsync(fd_) != 0) error_ = errno;
  if (error_ == 0 && !give_name()) error_ = errno;
  if (error_ != 0) {
    *error = failure();
    return false;
  }
  temporary_.clear();
  // The name must survive a power failure too; file systems that cannot sync directories cannot
  // guarantee it.
  const int directory = ::open(directory_of(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory >= 0) {
    ::fsync(directory);
    ::close(directory);
  }
  return true;
}

}  // namespace ringside::tool
