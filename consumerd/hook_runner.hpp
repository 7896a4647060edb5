#pragma once
// Runs the hooks of triggers, which consumerd itself cannot in its sandbox: a process that is
// forked before that, knows the hooks of its start and no others, and is told by number which one
// to run.

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

#include "consumerd/log.hpp"
#include "consumerd/trigger_desk.hpp"
#include "consumerd/unique_fd.hpp"

namespace ringside::consumer {

struct Hook {
  std::string rule;
  std::vector<std::string> arguments;  // the program first
};

// Of one hook.
inline constexpr std::chrono::milliseconds kLongestHookRun = std::chrono::seconds(30);

class HookRunner {
 public:
  // Forks; to be called before the sandbox is entered, and before the first thread is started. The
  // process ends when this object or the process that it is in has gone and the hooks of then have
  // ended. It keeps its capabilities only if it is told to. Null if no rule has a hook, and, with
  // `*why`, on failure.
  static std::unique_ptr<HookRunner> start(const std::vector<TriggerRule>& rules,
                                           bool keep_capabilities, std::string* why,
                                           std::chrono::milliseconds longest_run = kLongestHookRun);

  // Whether the rule's hook is one of those of the start: no other can be run.
  bool knows(const TriggerRule& rule) const { return find(rule) != hooks_.end(); }

  // Has the rule's hook run, without waiting for anything. What becomes of it is told by
  // take_ends(). False, said in the log, if that cannot be asked for.
  bool run(const TriggerFiring& firing, const Log& log);

  // Says in the log what has become of hooks since the last call. The names of the rules whose hook
  // was not run or failed.
  std::vector<std::string> take_ends(const Log& log);

  pid_t pid() const { return pid_; }  // of that process, which is this one's child

 private:
  HookRunner(UniqueFd socket, std::vector<Hook> hooks, pid_t pid)
      : socket_(std::move(socket)), hooks_(std::move(hooks)), pid_(pid) {}
  std::vector<Hook>::const_iterator find(const TriggerRule& rule) const;

  UniqueFd socket_;  // packets; the other end is the process's
  std::vector<Hook> hooks_;
  pid_t pid_;
  bool told_full_ = false;
  bool told_gone_ = false;
};

// The life of that process: until nobody is left at the other end of `socket`.
[[noreturn]] void run_hooks(int socket, std::vector<Hook> hooks,
                            std::chrono::milliseconds longest_run);

}  // namespace ringside::consumer
