#include "consumerd/descriptors/directory_sync.hpp"

#include <fcntl.h>
#include <unistd.h>

namespace ringside::consumer {

UniqueFd open_directory_of(const std::string& path) {
  return UniqueFd(
      open(path.substr(0, path.rfind('/') + 1).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

bool sync_directory_of(const std::string& path) {
  const UniqueFd directory = open_directory_of(path);
  return directory && fsync(directory.get()) == 0;
}

}  // namespace ringside::consumer
