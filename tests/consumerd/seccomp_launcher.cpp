// Runs a program (argv[1], with the arguments that follow) with one system call forbidden, as the
// default seccomp profiles of container engines do.

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <unistd.h>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

namespace {

bool forbid_call() {
  sock_filter filter[] = {
      {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
      {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, FORBIDDEN_CALL},
      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | EPERM},
      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
  };
  const sock_fprog program{sizeof filter / sizeof *filter, filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

// For instance an emulator.
bool is_unknown_call() {
  return syscall(FORBIDDEN_CALL, 0, nullptr, 0) < 0 && errno == ENOSYS;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 126;
  if (!is_unknown_call() && !forbid_call()) {
    std::perror("seccomp");
    return 125;
  }
  execv(argv[1], argv + 1);
  std::perror("execv");
  return 127;
}
