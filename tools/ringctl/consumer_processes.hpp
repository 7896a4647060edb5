#pragma once
// The consumerds of a directory of segments, found by the staging files that they hold locked
// (shm-layout/README.md, "Staging").

#include <cstdint>
#include <string>
#include <vector>

#include <sys/types.h>

#include "tools/files/owned_fd.hpp"

namespace ringside::tool {

struct ConsumerProcess {
  pid_t pid = 0;  // 0: none that this user may look at has the file open
  OwnedFd staging;
  std::string staging_path;
};

// Sorted by pid. Empty with `*why` if the directory cannot be read.
std::vector<ConsumerProcess> consumer_processes(const std::string& shm_dir, std::string* why);

// Whether this process has a staging file in `shm_dir` other than `before`: it is past its start.
bool has_staging(pid_t pid, const std::string& shm_dir, const std::string& before);

// The segments in `shm_dir` that the consumer with this pid drains now: those that it has open and
// that are locked. Does not read them, so they may have any version.
std::vector<std::string> drained_segments(const std::string& shm_dir, pid_t pid);

// Takes the lock that only one upgrade of this consumerd can have. False if another has it.
bool lock_for_upgrade(const ConsumerProcess& consumer);

}  // namespace ringside::tool
