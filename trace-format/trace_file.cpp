#include "trace-format/trace_file.hpp"

#include <cerrno>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <sys/stat.h>

namespace ringside::trace {

std::unique_ptr<TraceFile> TraceFile::open(const std::string& path, ReadError* error) {
  const auto refuse = [&](std::string what, std::string remedy) {
    if (error != nullptr) *error = {path, 0, std::move(what), std::move(remedy)};
    return nullptr;
  };
  // O_NONBLOCK: opening a FIFO by mistake must not wait for a writer.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    return refuse(
        "cannot be opened: " + std::generic_category().message(errno),
        errno == EACCES ? "read it as the user or group that consumerd runs as" : "check the path");
  }
  struct stat status {};
  if (::fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
    ::close(fd);
    return refuse("is not a regular file", "store the trace in a file first");
  }
  return std::unique_ptr<TraceFile>(
      new TraceFile(path, fd, static_cast<std::uint64_t>(status.st_size)));
}

TraceFile::TraceFile(std::string path, int fd, std::uint64_t size)
    : path_(std::move(path)), fd_(fd), size_(size) {}

TraceFile::~TraceFile() {
  ::close(fd_);
}

std::size_t TraceFile::read(std::uint64_t offset, std::span<std::byte> bytes) const {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got =
        ::pread(fd_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

}  // namespace ringside::trace
