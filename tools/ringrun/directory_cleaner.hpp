#pragma once
// A process that removes the private directories when all processes that use them have ended,
// however that happened: also if ringrun is killed.

#include <string>

#include <sys/types.h>

#include "tools/ringrun/private_directories.hpp"

namespace ringside::tool {

class DirectoryCleaner {
 public:
  DirectoryCleaner() = default;
  DirectoryCleaner(const DirectoryCleaner&) = delete;
  DirectoryCleaner& operator=(const DirectoryCleaner&) = delete;

  // Forks. False with `*why` on failure.
  bool start(const PrivateDirectories& directories, std::string* why);

  // The directories stay as long as a process has this descriptor open. It is closed on exec.
  int lease() const { return lease_; }

  // Releases this process's lease, and waits until the directories are removed. Other processes
  // with a lease must have ended.
  void finish();

 private:
  pid_t pid_ = -1;
  int lease_ = -1;
};

}  // namespace ringside::tool
