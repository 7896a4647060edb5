#include "tools/ringctl/living_consumer.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "shm-layout/consumer_presence.hpp"
#include "tools/live/segment_file_lock.hpp"

namespace ringside::tool {

bool consumer_lives(const std::string& shm_dir) {
  const std::string path = shm_dir + "/" + std::string(shm::kPresenceName);
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return false;
  const bool is_held = is_byte_locked(fd, shm::presence_byte(geteuid()));
  close(fd);
  return is_held;
}

}  // namespace ringside::tool
