#include "tools/ringctl/traced_process.hpp"

#include <cerrno>
#include <fstream>
#include <system_error>

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

namespace ringside::tool {

std::optional<pid_t> traced_process(const std::string& segment_path, std::uint32_t pid,
                                    std::string* why) {
  struct stat segment {};
  if (stat(segment_path.c_str(), &segment) != 0) {
    *why = fmt::format("cannot read {}: {}", segment_path, std::generic_category().message(errno));
    return {};
  }
  const std::string maps = fmt::format("/proc/{}/maps", pid);
  std::ifstream file(maps);
  if (!file) {
    *why = errno == ENOENT
               ? fmt::format(
                     "process {} does not exist here: its number counts in another PID "
                     "namespace, or it has ended; run ringctl where the service runs",
                     pid)
               : fmt::format(
                     "cannot read {}: {}; run ringctl as the user of the service, or as "
                     "root",
                     maps, std::generic_category().message(errno));
    return {};
  }
  // proc(5): "address perms offset dev inode pathname".
  const std::string wanted = fmt::format(" {:02x}:{:02x} {} ", major(segment.st_dev),
                                         minor(segment.st_dev), segment.st_ino);
  std::string line;
  while (std::getline(file, line)) {
    if (line.find(wanted) != std::string::npos) return static_cast<pid_t>(pid);
  }
  *why = fmt::format(
      "process {} here is not the one that {} belongs to, whose number counts in another PID "
      "namespace; run ringctl where the service runs",
      pid, segment_path);
  return {};
}

}  // namespace ringside::tool
