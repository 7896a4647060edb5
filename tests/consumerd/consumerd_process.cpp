#include "consumerd_process.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>
#include <unistd.h>

#include <sys/wait.h>

namespace ringside::consumer_test {
namespace {

std::string content_of(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

int status_of(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// `program` of this build, or what starts it on a machine with another processor
// (packaging/aarch64/run_tests.py).
std::string startable(const std::string& program) {
  const char* const starters = std::getenv("RINGSIDE_TEST_STARTERS");
  if (starters == nullptr) return program;
  return starters + program.substr(program.rfind('/'));
}

}  // namespace

ConsumerdProcess::ConsumerdProcess(std::vector<std::string> arguments, const std::string& program,
                                   int error_fd) {
  arguments.insert(arguments.begin(), startable(CONSUMERD_PATH));
  if (!program.empty()) arguments.insert(arguments.begin(), startable(program));
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  const std::string out = output_.file("out");
  const std::string err = output_.file("err");
  pid_ = fork();
  if (pid_ == 0) {
    const int out_fd = open(out.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    const int err_fd =
        error_fd >= 0 ? error_fd : open(err.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    dup2(out_fd, STDOUT_FILENO);
    dup2(err_fd, STDERR_FILENO);
    execv(argv[0], argv.data());
    _exit(127);
  }
}

ConsumerdProcess::~ConsumerdProcess() {
  if (status_ >= 0) return;
  signal(SIGKILL);
  wait();
}

void ConsumerdProcess::signal(int number) const {
  kill(pid_, number);
}

int ConsumerdProcess::wait() {
  if (status_ >= 0) return status_;
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  return status_ = status_of(status);
}

int ConsumerdProcess::terminate() {
  signal(SIGTERM);
  return wait();
}

bool ConsumerdProcess::runs() {
  if (status_ >= 0) return false;
  int status = 0;
  if (waitpid(pid_, &status, WNOHANG) != pid_) return true;
  status_ = status_of(status);
  return false;
}

std::string ConsumerdProcess::error_output() const {
  return content_of(output_.file("err"));
}

std::string ConsumerdProcess::reported_problems() const {
  if (std::getenv("RINGSIDE_TEST_STARTERS") == nullptr) return error_output();
  constexpr std::array kMissing = {"io_uring is not available here", "futex_waitv: Function not",
                                   "running with an incomplete sandbox"};
  std::istringstream lines(error_output());
  std::string problems;
  for (std::string line; std::getline(lines, line);) {
    const auto is_about = [&line](const char* part) { return line.find(part) != line.npos; };
    if (std::none_of(kMissing.begin(), kMissing.end(), is_about)) problems += line + "\n";
  }
  return problems;
}

std::string ConsumerdProcess::standard_output() const {
  return content_of(output_.file("out"));
}

bool comes_true(const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

}  // namespace ringside::consumer_test
