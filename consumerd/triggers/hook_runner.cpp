// consumerd's side of its hooks.
#include "consumerd/triggers/hook_runner.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <unistd.h>

#include <sys/prctl.h>
#include <sys/socket.h>

#include "consumerd/sandbox/sandbox.hpp"
#include "consumerd/triggers/hook_message.hpp"

namespace ringside::consumer {
namespace {

template <std::size_t N>
void put_text(char (&to)[N], std::string_view text) {
  std::memcpy(to, text.data(), std::min(text.size(), N - 1));
}

std::string end_text(const HookReport& report, const std::string& program) {
  const std::string value = std::to_string(report.value);
  switch (report.end) {
    case HookEnd::kExited:
      return program + " ended with status " + value;
    case HookEnd::kSignalled:
      return program + " was killed by signal " + value;
    case HookEnd::kTooLong:
      return program + " took longer than " + value + " ms and was killed";
    case HookEnd::kNotStarted:
      return "cannot start " + program + ": " + error_text(report.value) +
             "; use the absolute path of a file that this user may execute";
    case HookEnd::kStillRuns:
      return program + " is still running from the previous firing; not started again";
  }
  return program + " exited";
}

}  // namespace

std::unique_ptr<HookRunner> HookRunner::start(const std::vector<TriggerRule>& rules,
                                              bool keep_capabilities, std::string* why,
                                              std::chrono::milliseconds longest_run) {
  std::vector<Hook> hooks;
  for (const TriggerRule& rule : rules) {
    if (!rule.hook.empty()) hooks.push_back({rule.name, rule.hook});
  }
  if (hooks.empty()) return nullptr;
  int ends[2] = {-1, -1};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0) {
    *why = "cannot create a socket for hooks: " + error_text(errno);
    return nullptr;
  }
  UniqueFd ours(ends[0]);
  const UniqueFd theirs(ends[1]);
  const pid_t pid = fork();
  if (pid < 0) {
    *why = "cannot start the process that runs hooks: " + error_text(errno);
    return nullptr;
  }
  if (pid == 0) {
    // A hook must not gain privileges, neither from set-user-id programs nor from consumerd.
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (!keep_capabilities) drop_capabilities();
    run_hooks(theirs.get(), std::move(hooks), longest_run);
  }
  return std::unique_ptr<HookRunner>(new HookRunner(std::move(ours), std::move(hooks), pid));
}

std::vector<Hook>::const_iterator HookRunner::find(const TriggerRule& rule) const {
  return std::find_if(hooks_.begin(), hooks_.end(), [&](const Hook& one) {
    return one.rule == rule.name && one.arguments == rule.hook;
  });
}

bool HookRunner::run(const TriggerFiring& firing, const Log& log) {
  HookRequest request{};
  request.command = static_cast<std::uint32_t>(find(*firing.rule) - hooks_.begin());
  request.pid = firing.source.pid;
  put_text(request.service, firing.source.service);
  put_text(request.statement, firing.statement);
  put_text(request.message, shown(firing.message));
  // write(), because the sandbox allows no other call for this.
  if (::write(socket_.get(), &request, sizeof request) == static_cast<ssize_t>(sizeof request)) {
    logged_full_ = false;
    return true;
  }
  const bool full = errno == EAGAIN;
  bool& logged = full ? logged_full_ : logged_gone_;
  if (!std::exchange(logged, true)) {
    log.error(full ? "triggers fire faster than hooks can be started: some hooks are skipped; set "
                     "a longer pause for these triggers"
                   : "the process that runs hooks has exited; restart consumerd");
  }
  return false;
}

std::vector<std::string> HookRunner::take_ends(const Log& log) {
  std::vector<std::string> failed;
  HookReport report{};
  while (::read(socket_.get(), &report, sizeof report) == static_cast<ssize_t>(sizeof report)) {
    if (report.command >= hooks_.size()) continue;
    const Hook& hook = hooks_[report.command];
    const std::string text =
        "hook of trigger " + hook.rule + ": " + end_text(report, hook.arguments.front());
    if (report.end == HookEnd::kExited && report.value == 0) {
      log.detail(text);
      continue;
    }
    log.error(text);
    failed.push_back(hook.rule);
  }
  return failed;
}

}  // namespace ringside::consumer
