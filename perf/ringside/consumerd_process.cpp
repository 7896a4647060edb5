#include "perf/ringside/consumerd_process.hpp"

#include <cerrno>
#include <csignal>
#include <unistd.h>

#include <sys/prctl.h>
#include <sys/wait.h>

namespace ringside::perf {

ConsumerdProcess::ConsumerdProcess(const std::string& shm_dir, const std::string& output_dir,
                                   int cpu) {
  if (shm_dir.empty() || output_dir.empty()) return;
  const std::string processor = std::to_string(cpu);
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ != 0) return;
  // consumerd ends too if the measuring program is killed.
  if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0 || getppid() != parent) _exit(127);
  dup2(STDERR_FILENO, STDOUT_FILENO);  // standard output is reserved for result lines
  execl(CONSUMERD_PATH, CONSUMERD_PATH, "--shm-dir", shm_dir.c_str(), "--output",
        output_dir.c_str(), "--cpu", processor.c_str(), nullptr);
  _exit(127);
}

ConsumerdProcess::~ConsumerdProcess() {
  terminate();
}

bool ConsumerdProcess::runs() {
  if (pid_ <= 0 || status_ >= 0) return false;
  int status = 0;
  if (waitpid(pid_, &status, WNOHANG) != pid_) return true;
  status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return false;
}

int ConsumerdProcess::terminate() {
  if (pid_ <= 0) return -1;
  if (status_ >= 0) return status_;
  kill(pid_, SIGTERM);
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  return status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace ringside::perf
