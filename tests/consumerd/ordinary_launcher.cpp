// Runs a program (argv[1], with the arguments that follow) as the unprivileged user 65534, if
// permitted.

#include <cstdio>
#include <fcntl.h>
#include <grp.h>
#include <unistd.h>

int main(int argc, char** argv) {
  if (argc < 2) return 126;
  constexpr unsigned kNobody = 65534;
  // By descriptor, because other users may not be able to search the build directory.
  const int program = open(argv[1], O_PATH | O_CLOEXEC);
  if (setgroups(0, nullptr) != 0 || setgid(kNobody) != 0 || setuid(kNobody) != 0) {
    std::perror("setuid");
    return 125;
  }
  fexecve(program, argv + 1, environ);
  std::perror("fexecve");
  return 127;
}
