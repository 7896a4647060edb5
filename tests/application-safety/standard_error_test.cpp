// The library's own messages when shared memory is refused, for every kind of standard error: no
// message may stop, kill or damage the service.

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <signal.h>
#include <string>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "libagent/include/ringside/ringside.hpp"
#include "tests/agent/process_test.hpp"

namespace ringside::test {
namespace {

constexpr int kRefused = 3;

// A service whose first log call is refused. Exits with kRefused if it survives.
int run_refused_service(int standard_error) {
  const pid_t pid = start_child([standard_error] {
    setenv("RINGSIDE_SHM_DIR", "/nowhere/at/all", 1);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    dup2(standard_error, STDERR_FILENO);
    RS_INFO("refused");
    sigset_t pending;
    sigset_t blocked;
    sigpending(&pending);
    pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
    const bool clean = sigismember(&pending, SIGPIPE) == 0 && sigismember(&blocked, SIGPIPE) == 0 &&
                       sigismember(&pending, SIGXFSZ) == 0;
    _exit(clean && status().refused == 1 ? kRefused : 4);
  });
  const int status = wait_for(pid);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

struct Pipe {
  Pipe() { EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0); }
  ~Pipe() {
    close(ends[0]);
    close(ends[1]);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  int ends[2] = {-1, -1};
};

void fill(int fd) {
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
  const std::string bytes(4096, 'x');
  while (write(fd, bytes.data(), bytes.size()) > 0 || write(fd, "x", 1) > 0) {
  }
  ASSERT_EQ(errno, EAGAIN);
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
}

PROCESS_TEST(StandardError, OpenPipeGetsTheMessage) {
  Pipe pipe;
  EXPECT_EQ(run_refused_service(pipe.ends[1]), kRefused);
  char text[1024] = {};
  EXPECT_GT(read(pipe.ends[0], text, sizeof text - 1), 0);
  EXPECT_NE(std::string(text).find("ringside: cannot create /nowhere/at/all"), std::string::npos)
      << text;
}

PROCESS_TEST(StandardError, PipeWithoutReaderRaisesNoSignal) {
  Pipe pipe;
  close(pipe.ends[0]);
  EXPECT_EQ(run_refused_service(pipe.ends[1]), kRefused);
}

PROCESS_TEST(StandardError, FullPipeBlocksNoThread) {
  Pipe pipe;
  fill(pipe.ends[1]);
  EXPECT_EQ(run_refused_service(pipe.ends[1]), kRefused);
}

PROCESS_TEST(StandardError, FullSocketBlocksNoThread) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  fill(ends[1]);
  EXPECT_EQ(run_refused_service(ends[1]), kRefused);
  close(ends[0]);
  EXPECT_EQ(run_refused_service(ends[1]), kRefused) << "with no reader";
}

PROCESS_TEST(StandardError, ClosedStandardErrorIsLeftClosed) {
  const int file = open((shm_dir() + "/closed").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  EXPECT_EQ(run_child([] {
              setenv("RINGSIDE_SHM_DIR", "/nowhere/at/all", 1);
              close(STDERR_FILENO);
              RS_INFO("refused");
              _exit(status().refused == 1 && fcntl(STDERR_FILENO, F_GETFD) == -1 ? 0 : 4);
            }),
            0);
  close(file);
}

// The service closed its standard error, and its database got that descriptor number.
PROCESS_TEST(StandardError, DatabaseWithTheNumberStaysWhole) {
  const int database = open((shm_dir() + "/database").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  EXPECT_EQ(run_refused_service(database), kRefused);
  struct stat info {};
  ASSERT_EQ(fstat(database, &info), 0);
  EXPECT_EQ(info.st_size, 0);
}

PROCESS_TEST(StandardError, LogAtItsLimitRaisesNoSignal) {
  const int log =
      open((shm_dir() + "/log").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  ASSERT_EQ(write(log, "full", 4), 4);
  EXPECT_EQ(run_child([log] {
              const rlimit size{4, 4};
              ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &size), 0);
              _exit(run_refused_service(log) == kRefused ? 0 : 4);
            }),
            0);
}

// A log call of one thread must not wait for the thread that writes its message.
PROCESS_TEST(StandardError, SeveralBadVariablesAreReportedTogether) {
  setenv("RINGSIDE_RING_BYTES", "17", 1);
  setenv("RINGSIDE_LEVEL", "loud", 1);
  const StderrCapture capture;
  RS_INFO("with what is in force");
  EXPECT_EQ(capture.lines().size(), 2U);
}

}  // namespace
}  // namespace ringside::test
