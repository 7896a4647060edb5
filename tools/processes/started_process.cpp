#include "tools/processes/started_process.hpp"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

#include <sys/prctl.h>
#include <sys/wait.h>

namespace ringside::tool {
namespace {

std::vector<char*> pointers_to(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

[[noreturn]] void execute(char* const* arguments, int failure) {
  execvp(arguments[0], arguments);
  const int error = errno;
  if (write(failure, &error, sizeof error) < 0) _exit(1);
  _exit(0);
}

// The reason why the child did not execute the program; 0 if it did.
int wait_for_execution(int failure) {
  int error = 0;
  ssize_t got = 0;
  do {
    got = read(failure, &error, sizeof error);
  } while (got < 0 && errno == EINTR);
  return got == sizeof error ? error : 0;
}

}  // namespace

StartedProcess start_process(const std::vector<std::string>& words, int death_signal,
                             const std::function<void()>& prepare) {
  int ends[2];  // closed on exec
  if (pipe2(ends, O_CLOEXEC) != 0) return {-1, errno};
  // Before the fork: after it, another thread may hold the lock of the allocator forever.
  const std::vector<char*> arguments = pointers_to(words);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, death_signal);
    if (getppid() != parent) _exit(1);  // it died before
    prepare();
    execute(arguments.data(), ends[1]);
  }
  int error = errno;
  close(ends[1]);
  if (pid > 0) {
    error = wait_for_execution(ends[0]);
    if (error != 0) waitpid(pid, nullptr, 0);
  }
  close(ends[0]);
  return pid > 0 && error == 0 ? StartedProcess{pid, 0} : StartedProcess{-1, error};
}

}  // namespace ringside::tool
