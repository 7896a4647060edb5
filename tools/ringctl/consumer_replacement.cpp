#include "tools/ringctl/consumer_replacement.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <thread>
#include <unistd.h>

#include <fmt/format.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "tools/text/error_text.hpp"

namespace ringside::tool {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kEndPatience = std::chrono::seconds(5);
constexpr char kPrepared = 'p';
constexpr char kGo = 'g';

void report(int fd, std::string_view text) {
  [[maybe_unused]] const ssize_t written = write(fd, text.data(), text.size());
}

void wait_for_end(int process) {
  pollfd ended{process, POLLIN, 0};
  while (poll(&ended, 1, -1) < 0 && errno == EINTR) {
  }
}

[[noreturn]] void run_replacement(const RunningProcess& model, const StandardStreams& streams,
                                  int predecessor, const Program& program, const Program& otherwise,
                                  int go, int reports) {
  setsid();
  for (int stream = 0; stream < 3; ++stream) {
    dup2(streams[static_cast<std::size_t>(stream)].get(), stream);
  }
  if (const std::string why = become_like(model); !why.empty()) {
    report(reports, why);
    _exit(1);
  }
  report(reports, std::string_view(&kPrepared, 1));
  char word = 0;
  if (read(go, &word, 1) != 1 || word != kGo) _exit(0);
  if (predecessor >= 0) {
    if (syscall(SYS_pidfd_send_signal, predecessor, SIGTERM, nullptr, 0) != 0 && errno != ESRCH) {
      report(reports, "cannot end the running one: " + error_text(errno));
      _exit(1);
    }
    wait_for_end(predecessor);
  }
  execute(program.executable, program.arguments, model.environment);
  report(reports, "cannot execute " + program.executable.path + ": " + error_text(errno));
  execute(otherwise.executable, otherwise.arguments, model.environment);
  report(reports, "; cannot execute " + otherwise.executable.path + ": " + error_text(errno));
  _exit(1);
}

// Whether there is something to read before the deadline.
bool has_input(int fd, Clock::time_point deadline) {
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd input{fd, POLLIN, 0};
    const int ready = poll(&input, 1, left < 0 ? 0 : static_cast<int>(left));
    if (ready > 0) return true;
    if (ready == 0 || errno != EINTR) return false;
  }
}

}  // namespace

std::unique_ptr<ConsumerReplacement> ConsumerReplacement::prepare(
    const RunningProcess& model, const StandardStreams& streams, int predecessor,
    const Program& program, const Program& otherwise, std::string* why) {
  std::unique_ptr<ConsumerReplacement> made(new ConsumerReplacement);
  int go[2];
  int reports[2];
  if (pipe2(go, O_CLOEXEC) != 0) {
    *why = "cannot create a pipe: " + error_text(errno);
    return nullptr;
  }
  const OwnedFd go_end(go[0]);
  made->go_ = OwnedFd(go[1]);
  if (pipe2(reports, O_CLOEXEC) != 0) {
    *why = "cannot create a pipe: " + error_text(errno);
    return nullptr;
  }
  made->report_ = OwnedFd(reports[0]);
  OwnedFd report_start(reports[1]);
  made->pid_ = fork();
  if (made->pid_ == 0) {
    made->go_.close();  // otherwise it would not notice the end of this tool
    run_replacement(model, streams, predecessor, program, otherwise, go[0], reports[1]);
  }
  if (made->pid_ < 0) {
    *why = "cannot start a process: " + error_text(errno);
    return nullptr;
  }
  report_start.close();
  char word = 0;
  if (read(made->report_.get(), &word, 1) == 1 && word == kPrepared) return made;
  *why = std::string(1, word);
  std::array<char, 512> rest;
  const ssize_t got = read(made->report_.get(), rest.data(), rest.size());
  if (got > 0) why->append(rest.data(), static_cast<std::size_t>(got));
  return nullptr;
}

ConsumerReplacement::~ConsumerReplacement() {
  if (pid_ <= 0 || gone_ahead_) return;
  go_.close();
  waitpid(pid_, nullptr, 0);
}

bool ConsumerReplacement::go() {
  gone_ahead_ = write(go_.get(), &kGo, 1) == 1;
  return gone_ahead_;
}

bool ConsumerReplacement::wait_for_execution(Clock::time_point deadline, std::string* why) {
  std::array<char, 512> part;
  while (has_input(report_.get(), deadline)) {
    const ssize_t got = read(report_.get(), part.data(), part.size());
    if (got <= 0) return true;
    why->append(part.data(), static_cast<std::size_t>(got));
  }
  *why = "the running one does not end";
  return false;
}

bool ConsumerReplacement::has_ended(std::string* how) {
  int status = 0;
  if (!ended_ && waitpid(pid_, &status, WNOHANG) == pid_) {
    ended_ = true;
    end_ = WIFEXITED(status) ? fmt::format("it ended with exit status {}", WEXITSTATUS(status))
                             : fmt::format("signal {} ended it", WTERMSIG(status));
  }
  if (ended_) *how = end_;
  return ended_;
}

void ConsumerReplacement::end() {
  std::string how;
  if (has_ended(&how)) return;
  kill(pid_, SIGTERM);
  const auto deadline = Clock::now() + kEndPatience;
  while (!has_ended(&how) && Clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  if (has_ended(&how)) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
  ended_ = true;
}

}  // namespace ringside::tool
