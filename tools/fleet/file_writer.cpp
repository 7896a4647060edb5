#include "tools/fleet/file_writer.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "trace-format/blocks/writer_lock.hpp"

namespace ringside::fleet {

bool has_writer(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return false;
  struct flock lock {};
  lock.l_type = F_RDLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = trace::kWriterLockByte;
  lock.l_len = 1;
  const bool is_held = ::fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
  ::close(fd);
  return is_held;
}

}  // namespace ringside::fleet
