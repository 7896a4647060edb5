#pragma once
// Runs the hooks of triggers. consumerd cannot run programs inside its sandbox, so a process is
// forked before the sandbox is entered. It knows only the hooks configured at start, and receives
// the number of the hook to run.

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

#include "consumerd/descriptors/unique_fd.hpp"
#include "consumerd/log/log.hpp"
#include "consumerd/triggers/trigger_queue.hpp"

namespace ringside::consumer {

struct Hook {
  std::string rule;
  std::vector<std::string> arguments;  // the program comes first
};

// For one run of a hook.
inline constexpr std::chrono::milliseconds kLongestHookRun = std::chrono::seconds(30);

class HookRunner {
 public:
  // Forks; call it before the sandbox is entered and before the first thread is started. The
  // process ends when this object, or the process that contains it, is gone and the hooks that run
  // then have ended. It keeps its capabilities only with `keep_capabilities`. Null if no rule has a
  // hook, and, with `*why`, on failure.
  static std::unique_ptr<HookRunner> start(const std::vector<TriggerRule>& rules,
                                           bool keep_capabilities, std::string* why,
                                           std::chrono::milliseconds longest_run = kLongestHookRun);

  // Whether the rule's hook is one of those configured at start: no other hook can be run.
  bool knows(const TriggerRule& rule) const { return find(rule) != hooks_.end(); }

  // Requests a run of the rule's hook, without waiting. take_ends() reports the result. False, with
  // a message in the log, if the request cannot be sent.
  bool run(const TriggerFiring& firing, const Log& log);

  // Logs the results of hooks since the last call. Returns the names of the rules whose hook was
  // not run or failed.
  std::vector<std::string> take_ends(const Log& log);

  pid_t pid() const { return pid_; }  // of the process that runs hooks, a child of this one

 private:
  HookRunner(UniqueFd socket, std::vector<Hook> hooks, pid_t pid)
      : socket_(std::move(socket)), hooks_(std::move(hooks)), pid_(pid) {}
  std::vector<Hook>::const_iterator find(const TriggerRule& rule) const;

  UniqueFd socket_;  // packets; the process has the other end
  std::vector<Hook> hooks_;
  pid_t pid_;
  bool logged_full_ = false;
  bool logged_gone_ = false;
};

// The main loop of that process: runs until the other end of `socket` is closed.
[[noreturn]] void run_hooks(int socket, std::vector<Hook> hooks,
                            std::chrono::milliseconds longest_run);

}  // namespace ringside::consumer
