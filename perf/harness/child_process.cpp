#include "perf/harness/child_process.hpp"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>

#include <sys/prctl.h>
#include <sys/wait.h>

#include "perf/harness/processors.hpp"

namespace ringside::perf {
namespace {

constexpr int kNotStarted = 127;

void put_in_place(int fd, int stream) {
  if (fd >= 0) dup2(fd, stream);
}

// In the child. `words`: the command and a null pointer.
[[noreturn]] void become(Launch& launch, const std::vector<char*>& words, pid_t parent) {
  if (launch.leads_group) setpgid(0, 0);
  const bool ends_with_parent =
      prctl(PR_SET_PDEATHSIG, static_cast<unsigned long>(launch.end_signal)) == 0 &&
      getppid() == parent;
  if (!ends_with_parent || (launch.cpu >= 0 && !pin_to(launch.cpu))) _exit(kNotStarted);
  put_in_place(launch.input, STDIN_FILENO);
  put_in_place(launch.output, STDOUT_FILENO);
  put_in_place(launch.errors, STDERR_FILENO);
  for (std::string& word : launch.environment) {
    putenv(word.data());  // NOLINT(concurrency-mt-unsafe): a child has one thread
  }
  execvp(words.front(), words.data());
  _exit(kNotStarted);
}

}  // namespace

void Descriptor::reset(int fd) {
  if (fd_ >= 0) ::close(fd_);
  fd_ = fd;
}

Pipe::Pipe() {
  int ends[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC) != 0) return;
  read.reset(ends[0]);
  write.reset(ends[1]);
}

Descriptor null_device() {
  return Descriptor(open("/dev/null", O_RDWR | O_CLOEXEC));
}

ChildProcess::ChildProcess(const Launch& launch)
    : leads_group_(launch.leads_group), end_signal_(launch.end_signal) {
  Launch own = launch;  // execvp() takes words that can change
  std::vector<char*> words;
  words.reserve(own.command.size() + 1);
  for (std::string& word : own.command) words.push_back(word.data());
  words.push_back(nullptr);
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ == 0) become(own, words, parent);
  if (pid_ > 0 && leads_group_) setpgid(pid_, pid_);  // both call it: either can run first
}

ChildProcess::~ChildProcess() {
  terminate();
}

bool ChildProcess::reap(int options) {
  if (pid_ <= 0 || status_ >= 0) return true;
  int status = 0;
  pid_t ended = 0;
  do {
    ended = wait4(pid_, &status, options, &usage_);
  } while (ended < 0 && errno == EINTR);
  if (ended == 0) return false;
  status_ = ended < 0           ? kNotStarted
            : WIFEXITED(status) ? WEXITSTATUS(status)
                                : 128 + WTERMSIG(status);
  return true;
}

bool ChildProcess::runs() {
  return pid_ > 0 && !reap(WNOHANG);
}

void ChildProcess::send(int signal) const {
  if (pid_ > 0 && status_ < 0) kill(leads_group_ ? -pid_ : pid_, signal);
}

int ChildProcess::wait() {
  reap(0);
  return pid_ > 0 ? status_ : kNotStarted;
}

int ChildProcess::terminate() {
  send(end_signal_);
  return wait();
}

}  // namespace ringside::perf
