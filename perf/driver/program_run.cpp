#include "perf/driver/program_run.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <sys/prctl.h>
#include <sys/wait.h>

namespace ringside::perf {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kGrace = std::chrono::seconds(2);

struct Pipe {
  int read = -1;
  int write = -1;

  bool open() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return false;
    read = ends[0];
    write = ends[1];
    return true;
  }
  ~Pipe() {
    if (read >= 0) close(read);
    if (write >= 0) close(write);
  }
};

[[noreturn]] void become(const std::vector<std::string>& arguments, int output, int errors,
                         pid_t parent) {
  // A separate process group, so that all its descendants end with it.
  setpgid(0, 0);
  if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0 || getppid() != parent) _exit(127);
  dup2(output, STDOUT_FILENO);
  dup2(errors, STDERR_FILENO);
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.data()));
  argv.push_back(nullptr);
  execv(argv[0], argv.data());
  _exit(127);
}

// Appends the available data; returns false at the end of the stream.
bool take(int fd, std::string& text, bool pass_on) {
  std::array<char, 4096> part{};
  const ssize_t got = read(fd, part.data(), part.size());
  if (got < 0) return errno == EINTR || errno == EAGAIN;
  if (got == 0) return false;
  text.append(part.data(), static_cast<std::size_t>(got));
  if (pass_on && write(STDERR_FILENO, part.data(), static_cast<std::size_t>(got)) < 0) return true;
  return true;
}

}  // namespace

ProgramRun run_program(const std::vector<std::string>& arguments, std::chrono::seconds limit) {
  ProgramRun run;
  Pipe output;
  Pipe errors;
  if (!output.open() || !errors.open()) return run;
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) return run;
  if (pid == 0) become(arguments, output.write, errors.write, parent);
  setpgid(pid, pid);  // parent and child both call it: either can run first
  close(output.write);
  close(errors.write);
  output.write = errors.write = -1;
  auto deadline = Clock::now() + limit;
  std::array<pollfd, 2> watched{pollfd{output.read, POLLIN, 0}, pollfd{errors.read, POLLIN, 0}};
  while (watched[0].fd >= 0 || watched[1].fd >= 0) {
    if (poll(watched.data(), watched.size(), 100) > 0) {
      if (watched[0].revents != 0 && !take(output.read, run.output, false)) watched[0].fd = -1;
      if (watched[1].revents != 0 && !take(errors.read, run.errors, true)) watched[1].fd = -1;
    }
    if (Clock::now() > deadline) {
      kill(-pid, run.timed_out ? SIGKILL : SIGTERM);
      run.timed_out = true;
      deadline = Clock::now() + kGrace;
    }
  }
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  run.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return run;
}

std::string last_line(const std::string& text) {
  const std::size_t end = text.find_last_not_of(" \t\r\n");
  if (end == std::string::npos) return {};
  const std::size_t begin = text.find_last_of('\n', end);
  return text.substr(begin == std::string::npos ? 0 : begin + 1,
                     end - (begin == std::string::npos ? 0 : begin + 1) + 1);
}

}  // namespace ringside::perf
