// Opens a trace file by its path. Not in blocks/: it may be packed.
#include <cerrno>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>

#include <sys/stat.h>

#include "trace-format/blocks/trace_file.hpp"
#include "trace-format/packing/packed_file.hpp"

namespace ringside::trace {
namespace {

const char* remedy_for(int open_error) {
  switch (open_error) {
    case EACCES:
      return "run as the user or group of consumerd";
    case EMFILE:
      return "raise the limit of open files (ulimit -n)";
    default:
      return "check the path";
  }
}

// Never mapped: a file that shrinks must not raise SIGBUS.
class PlainFile final : public TraceFile {
 public:
  PlainFile(std::string path, int fd, std::uint64_t size)
      : TraceFile(std::move(path), size), fd_(fd) {}
  ~PlainFile() override { ::close(fd_); }
  PlainFile(const PlainFile&) = delete;
  PlainFile& operator=(const PlainFile&) = delete;

  std::size_t read(std::uint64_t offset, std::span<std::byte> bytes) override {
    std::size_t done = 0;
    while (done < bytes.size()) {
      const ssize_t got =
          ::pread(fd_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(offset + done));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) break;
      done += static_cast<std::size_t>(got);
    }
    count(done);
    return done;
  }

  void look_again() override {
    struct stat status {};
    if (::fstat(fd_, &status) == 0) set_size(static_cast<std::uint64_t>(status.st_size));
  }

 private:
  int fd_;
};

}  // namespace

std::unique_ptr<TraceFile> TraceFile::open(const std::string& path, ReadError* error,
                                           ReadReport* report) {
  const auto refuse = [&](std::string what, std::string remedy) {
    if (error != nullptr) *error = {path, 0, std::move(what), std::move(remedy)};
    return nullptr;
  };
  // O_NONBLOCK: opening a FIFO by mistake must not wait for a writer.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    const int why = errno;
    return refuse("cannot be opened: " + std::generic_category().message(why), remedy_for(why));
  }
  struct stat status {};
  if (::fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
    ::close(fd);
    return refuse("is not a regular file", "save the trace in a file first");
  }
  auto plain = std::make_unique<PlainFile>(path, fd, static_cast<std::uint64_t>(status.st_size));
  plain->report_to(report);
  if (!PackedFile::recognises(*plain)) return plain;
  auto packed = PackedFile::open(std::move(plain), error);
  if (packed) packed->report_to(report);
  return packed;
}

}  // namespace ringside::trace
