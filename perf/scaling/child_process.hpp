#pragma once
// A program with pipes for its standard input and output.

#include <cerrno>
#include <csignal>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include <sys/prctl.h>
#include <sys/wait.h>

namespace ringside::perf {

class ChildProcess {
 public:
  // `environment`: NAME=VALUE words added to this process's own. The child is killed when its
  // parent ends.
  ChildProcess(std::vector<std::string> command, std::vector<std::string> environment) {
    int in[2] = {-1, -1};
    int out[2] = {-1, -1};
    if (pipe(in) != 0 || pipe(out) != 0) return;
    pid_ = fork();
    if (pid_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      dup2(in[0], STDIN_FILENO);
      dup2(out[1], STDOUT_FILENO);
      for (const int fd : {in[0], in[1], out[0], out[1]}) close(fd);
      for (std::string& word : environment) {
        putenv(word.data());  // NOLINT(concurrency-mt-unsafe): a child has one thread
      }
      std::vector<char*> words;
      words.reserve(command.size() + 1);
      for (std::string& word : command) words.push_back(word.data());
      words.push_back(nullptr);
      execv(words[0], words.data());
      _exit(127);
    }
    close(in[0]);
    close(out[1]);
    to_ = in[1];
    from_ = out[0];
  }
  ~ChildProcess() {
    end_input();
    if (from_ >= 0) close(from_);
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
  }
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  void end_input() {
    if (to_ >= 0) close(std::exchange(to_, -1));
  }

  // Returns a line without its newline; empty at the end of the output.
  std::string read_line() {
    std::string line;
    char c = 0;
    for (;;) {
      const ssize_t got = read(from_, &c, 1);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0 || c == '\n') return line;
      line += c;
    }
  }

 private:
  pid_t pid_ = -1;
  int to_ = -1;
  int from_ = -1;
};

}  // namespace ringside::perf
