#include "perf/peers/child_process.hpp"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <unistd.h>
#include <vector>

#include <sys/prctl.h>
#include <sys/wait.h>

#include "perf/harness/processors.hpp"

namespace ringside::perf {
namespace {

// `out` and `err` become standard output and standard error of the child.
pid_t start(std::initializer_list<std::string> command, int cpu, int out, int err) {
  std::vector<std::string> words(command);
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid != 0) return pid;
  if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0 || getppid() != parent || !pin_to(cpu)) _exit(127);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  execvp(arguments[0], arguments.data());
  _exit(127);
}

int status_of(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) return 127;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int open_null() {
  return open("/dev/null", O_WRONLY | O_CLOEXEC);
}

}  // namespace

ProgramEnd run_program(std::initializer_list<std::string> command, int cpu, Output output) {
  ProgramEnd end;
  const int null = open_null();
  int channel[2] = {-1, -1};
  if (null < 0 || pipe2(channel, O_CLOEXEC) != 0) {
    close(null);
    return end;
  }
  const pid_t pid = start(command, cpu, output == Output::discard ? null : channel[1],
                          output == Output::keep_with_errors ? channel[1] : null);
  close(channel[1]);
  close(null);
  char block[4096];
  for (ssize_t got = 0; (got = read(channel[0], block, sizeof block)) != 0;) {
    if (got < 0 && errno != EINTR) break;
    if (got > 0) end.text.append(block, static_cast<std::size_t>(got));
  }
  close(channel[0]);
  if (pid > 0) end.status = status_of(pid);
  return end;
}

pid_t start_program(std::initializer_list<std::string> command, int cpu) {
  const int null = open_null();
  if (null < 0) return -1;
  const pid_t pid = start(command, cpu, null, null);
  close(null);
  return pid;
}

void stop_program(pid_t pid) {
  if (pid <= 0 || kill(pid, SIGTERM) != 0) return;
  status_of(pid);
}

}  // namespace ringside::perf
