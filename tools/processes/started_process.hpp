#pragma once
// Starts a program in a child process that ends with this one.

#include <functional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace ringside::tool {

struct StartedProcess {
  pid_t pid = -1;  // -1: not started, for the reason `error`
  int error = 0;
};

// Executes `words`, of which the first is a path or a name to search for in PATH. The kernel sends
// `death_signal` to the child when the calling thread ends, and so when this process dies.
// `prepare` runs in the child, before the program; in a process with threads it only makes
// async-signal-safe calls.
StartedProcess start_process(const std::vector<std::string>& words, int death_signal,
                             const std::function<void()>& prepare);

}  // namespace ringside::tool
