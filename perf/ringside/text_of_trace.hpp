#pragma once
// A trace file as the text that ringcat prints, for programs that read text.

#include <cstdio>
#include <fcntl.h>
#include <string>
#include <vector>

#include "perf/harness/child_process.hpp"
#include "perf/ringside/temporary_directory.hpp"

namespace ringside::perf {

class TextOfTrace {
 public:
  // `command`: prints the text. In memory, so that nothing is written to the disk meanwhile.
  explicit TextOfTrace(const std::vector<std::string>& command) : directory_("/dev/shm") {
    const Descriptor file(
        open(path().c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR));
    if (!file.is_open()) {
      std::perror(path().c_str());
      return;
    }
    ChildProcess printer({.command = command, .output = file.get()});
    is_complete_ = printer.wait() == 0;
  }

  bool is_complete() const { return is_complete_; }
  std::string path() const { return directory_.path() + "/trace.txt"; }

 private:
  TemporaryDirectory directory_;
  bool is_complete_ = false;
};

}  // namespace ringside::perf
