// The process that runs hooks. It trusts nothing that it receives except the number of a hook.
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <spawn.h>
#include <unistd.h>

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "consumerd/triggers/hook_message.hpp"
#include "consumerd/triggers/hook_runner.hpp"

namespace ringside::consumer {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kSocket = 3;
constexpr rlim_t kUsualFiles = 1024;
constexpr unsigned long kUsualTimerSlackNs = 50'000;

struct Running {
  std::uint32_t command;
  pid_t pid;  // also the id of its process group
  Clock::time_point deadline;
  bool killed = false;
};

// Hooks must not inherit what consumerd set up for itself: files, processor, limits, dispositions.
void leave_consumerd_behind(int socket) {
  dup2(socket, kSocket);
  fcntl(kSocket, F_SETFD, FD_CLOEXEC);
  if (close_range(kSocket + 1, ~0U, 0) != 0) {
    for (int fd = kSocket + 1; fd < static_cast<int>(kUsualFiles); ++fd) close(fd);
  }
  const int nothing = open("/dev/null", O_RDONLY);
  if (nothing >= 0) dup2(nothing, STDIN_FILENO);
  if (nothing > kSocket) close(nothing);
  cpu_set_t everywhere;
  memset(&everywhere, 0xFF, sizeof everywhere);
  sched_setaffinity(0, sizeof everywhere, &everywhere);
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
    files.rlim_cur = std::min(files.rlim_max, kUsualFiles);
    setrlimit(RLIMIT_NOFILE, &files);
  }
  prctl(PR_SET_TIMERSLACK, kUsualTimerSlackNs);
  prctl(PR_SET_NAME, "consumerd-hooks");
  // These signals must not end it: it ends when consumerd's end of the socket is closed.
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) std::signal(number, SIG_IGN);
  for (const int number : {SIGBUS, SIGCHLD}) std::signal(number, SIG_DFL);
}

template <std::size_t N>
std::string variable(const char* name, const char (&text)[N]) {
  return std::string(name) + "=" + shown(std::string_view(text, strnlen(text, N)));
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

class HookProcess {
 public:
  HookProcess(std::vector<Hook> hooks, std::chrono::milliseconds longest_run)
      : hooks_(std::move(hooks)), longest_run_(longest_run) {
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    pthread_sigmask(SIG_SETMASK, &child, nullptr);
    children_ = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
  }

  void serve() {
    bool asked = true;  // consumerd's end of the socket is open
    while (asked || !running_.empty()) {
      pollfd waits[2] = {{children_, POLLIN, 0}, {kSocket, POLLIN, 0}};
      poll(waits, asked ? 2 : 1, timeout_ms());
      signalfd_siginfo ignored{};
      while (::read(children_, &ignored, sizeof ignored) > 0) {
      }
      reap();
      kill_overdue();
      asked = asked && take_requests();
    }
  }

 private:
  int timeout_ms() const {
    Clock::time_point first = Clock::time_point::max();
    for (const Running& one : running_) {
      if (!one.killed) first = std::min(first, one.deadline);
    }
    if (first == Clock::time_point::max()) return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(first - Clock::now());
    return static_cast<int>(std::max<std::chrono::milliseconds::rep>(left.count(), 0));
  }

  // False when consumerd's end of the socket is closed.
  bool take_requests() {
    HookRequest request{};
    for (;;) {
      const ssize_t got = ::read(kSocket, &request, sizeof request);
      if (got == 0) return false;
      if (got < 0) return errno == EAGAIN || errno == EINTR;
      if (got == static_cast<ssize_t>(sizeof request) && request.command < hooks_.size()) {
        start(request);
      }
    }
  }

  void start(const HookRequest& request) {
    for (const Running& one : running_) {
      if (one.command == request.command) return report(request.command, HookEnd::kStillRuns, 0);
    }
    const Hook& hook = hooks_[request.command];
    std::vector<std::string> arguments = hook.arguments;
    std::vector<std::string> variables = {"RINGSIDE_TRIGGER=" + hook.rule,
                                          variable("RINGSIDE_SERVICE", request.service),
                                          "RINGSIDE_PID=" + std::to_string(request.pid),
                                          variable("RINGSIDE_STATEMENT", request.statement),
                                          variable("RINGSIDE_MESSAGE", request.message)};
    if (const char* const path = std::getenv("PATH")) {  // NOLINT(concurrency-mt-unsafe)
      variables.push_back(std::string("PATH=") + path);
    }
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(
        &attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    sigset_t signals;
    sigfillset(&signals);
    posix_spawnattr_setsigdefault(&attributes, &signals);
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes, &signals);
    pid_t pid = -1;
    const int error = posix_spawnp(&pid, arguments.front().c_str(), nullptr, &attributes,
                                   pointers(arguments).data(), pointers(variables).data());
    posix_spawnattr_destroy(&attributes);
    if (error != 0) return report(request.command, HookEnd::kNotStarted, error);
    running_.push_back({request.command, pid, Clock::now() + longest_run_});
  }

  void reap() {
    int status = 0;
    for (pid_t pid = waitpid(-1, &status, WNOHANG); pid > 0; pid = waitpid(-1, &status, WNOHANG)) {
      const auto one = std::find_if(running_.begin(), running_.end(),
                                    [pid](const Running& running) { return running.pid == pid; });
      if (one == running_.end()) continue;
      if (one->killed) {
        report(one->command, HookEnd::kTooLong, static_cast<int>(longest_run_.count()));
      } else if (WIFSIGNALED(status)) {
        report(one->command, HookEnd::kSignalled, WTERMSIG(status));
      } else {
        report(one->command, HookEnd::kExited, WEXITSTATUS(status));
      }
      running_.erase(one);
    }
  }

  void kill_overdue() {
    for (Running& one : running_) {
      if (one.killed || Clock::now() < one.deadline) continue;
      kill(-one.pid, SIGKILL);
      one.killed = true;
    }
  }

  static void report(std::uint32_t command, HookEnd end, int value) {
    const HookReport report{command, end, value};
    send(kSocket, &report, sizeof report, MSG_NOSIGNAL | MSG_DONTWAIT);
  }

  const std::vector<Hook> hooks_;
  const std::chrono::milliseconds longest_run_;
  std::vector<Running> running_;
  int children_ = -1;
};

}  // namespace

void run_hooks(int socket, std::vector<Hook> hooks, std::chrono::milliseconds longest_run) {
  leave_consumerd_behind(socket);
  HookProcess(std::move(hooks), longest_run).serve();
  _exit(0);
}

}  // namespace ringside::consumer
