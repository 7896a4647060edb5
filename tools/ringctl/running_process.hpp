#pragma once
// A running process, as /proc describes it: everything that another process needs to continue in
// its place.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/resource.h>
#include <sys/types.h>

#include "tools/files/owned_fd.hpp"

namespace ringside::tool {

struct RunningProcess {
  pid_t pid = 0;
  OwnedFd handle;  // pidfd: this process, whatever happens to its number
  OwnedFd image;   // the file of its program, even if that was replaced or removed
  std::string image_path;
  OwnedFd directory;  // its working directory
  std::string directory_path;
  std::vector<std::string> arguments;
  std::vector<std::string> environment;  // as at its start
  uid_t uid = 0;
  gid_t gid = 0;
  std::vector<gid_t> groups;
  mode_t umask = 022;
  int priority = 0;
  std::vector<std::pair<int, rlimit>> limits;
  pid_t parent = 0;
  std::string parent_name;
  bool is_first = false;  // of its PID namespace
  std::string cgroup;     // that systemd uses, if there is systemd

  // The value of a variable of its environment; empty if it has none.
  std::string_view variable(std::string_view name) const;
  bool has_ended() const;
};

// Empty with `*why`, also if this user may not read it, or if it has ended meanwhile.
std::optional<RunningProcess> read_process(pid_t pid, std::string* why);

}  // namespace ringside::tool
