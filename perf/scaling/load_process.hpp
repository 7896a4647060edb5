#pragma once
// A traced_load: it answers on its standard output, and logs once its standard input has ended.

#include <cerrno>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include "perf/harness/child_process.hpp"

namespace ringside::perf {

class LoadProcess {
 public:
  LoadProcess(std::vector<std::string> command, const std::string& shm_dir)
      : process_({.command = std::move(command),
                  .environment = {"RINGSIDE_SHM_DIR=" + shm_dir},
                  .input = to_.read.get(),
                  .output = from_.write.get(),
                  .end_signal = SIGKILL}) {
    to_.read.close();
    from_.write.close();
  }

  void end_input() { to_.write.close(); }

  // Returns a line without its newline; empty at the end of the output.
  std::string read_line() const {
    std::string line;
    char c = 0;
    for (;;) {
      const ssize_t got = read(from_.read.get(), &c, 1);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0 || c == '\n') return line;
      line += c;
    }
  }

 private:
  Pipe to_;
  Pipe from_;
  ChildProcess process_;
};

}  // namespace ringside::perf
