#pragma once
// How a child process ended.

#include <csignal>
#include <optional>
#include <string>

#include <sys/types.h>

namespace ringside::tool {

struct ProcessEnd {
  int status = 0;  // of exit; meaningless after a signal
  int signal = 0;  // 0: none
  bool dumped_core = false;

  bool is_success() const { return signal == 0 && status == 0; }
};

// What happened to a child; it can also have stopped, by `signal`.
struct ChildNews {
  bool has_stopped = false;
  int stop_signal = 0;
  std::optional<ProcessEnd> end;
};

// Does not wait. A child whose end was returned does not exist any more.
ChildNews news_of(pid_t child);

// "exited with status 3", "was ended by SIGSEGV (Segmentation fault), core dumped".
std::string text_of(const ProcessEnd& end);

// Ends this process as the other one has ended: by the same signal, so that a shell sees it.
[[noreturn]] void end_like(const ProcessEnd& end);

}  // namespace ringside::tool
