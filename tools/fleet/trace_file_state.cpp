#include "tools/fleet/trace_file_state.hpp"

#include <cerrno>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>

#include "trace-format/blocks/writer_lock.hpp"
#include "trace-format/reader/trace_paths.hpp"

namespace ringside::fleet {
namespace {

int open_without_waiting(const std::string& path) {
  return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

}  // namespace

bool has_writer(const std::string& path) {
  const int fd = open_without_waiting(path);
  if (fd < 0) return errno != ENOENT;
  struct flock lock {};
  lock.l_type = F_RDLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = trace::kWriterLockByte;
  lock.l_len = 1;
  const bool may_be_held = ::fcntl(fd, F_OFD_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
  ::close(fd);
  return may_be_held;
}

bool may_open_later(const std::string& path) {
  for (const std::string& name : {path, trace::packed_name(path)}) {
    const int fd = open_without_waiting(name);
    if (fd >= 0) {
      ::close(fd);
      return false;
    }
    if (errno != ENOENT) return true;
  }
  return false;
}

std::filesystem::file_time_type written_last(const std::string& path) {
  std::error_code code;
  for (const std::string& name : {path, trace::packed_name(path)}) {
    const auto time = std::filesystem::last_write_time(name, code);
    if (!code) return time;
  }
  return std::filesystem::file_time_type::clock::now();
}

}  // namespace ringside::fleet
