#include "tools/ringctl/process_twin.hpp"

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <grp.h>
#include <poll.h>
#include <string_view>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "tools/text/error_text.hpp"

namespace ringside::tool {
namespace {

constexpr std::size_t kMostOutput = 64U << 10;
constexpr std::array<const char*, 3> kStreamNames = {"standard input", "standard output",
                                                     "standard error"};

// The flags with which the process opened it.
int open_flags(pid_t pid, int stream) {
  std::ifstream file(fmt::format("/proc/{}/fdinfo/{}", pid, stream));
  for (std::string word; file >> word;) {
    if (word != "flags:") continue;
    file >> word;
    int flags = O_RDWR;
    std::from_chars(word.data(), word.data() + word.size(), flags, 8);
    return flags & (O_ACCMODE | O_APPEND);
  }
  return O_RDWR;
}

OwnedFd open_again(pid_t pid, int stream) {
  const std::string path = fmt::format("/proc/{}/fd/{}", pid, stream);
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return {};
  int flags = open_flags(pid, stream);
  // Another description has a position of its own, and would overwrite a file.
  if (S_ISREG(info.st_mode)) flags |= O_APPEND;
  // Without a reader, opening a pipe would wait for one.
  OwnedFd fd(open(path.c_str(), flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (fd) fcntl(fd.get(), F_SETFL, flags);
  return fd;
}

void close_others_on_exec() {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", error)) {
    const std::string name = entry.path().filename().string();
    int fd = -1;
    std::from_chars(name.data(), name.data() + name.size(), fd);
    if (fd > STDERR_FILENO) fcntl(fd, F_SETFD, FD_CLOEXEC);
  }
}

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> list;
  list.reserve(words.size() + 1);
  for (const std::string& word : words) list.push_back(const_cast<char*>(word.c_str()));
  list.push_back(nullptr);
  return list;
}

// The child's part of run_like(). `failure` gets a text, and is closed by the execution.
[[noreturn]] void run_child(const RunningProcess& model, const Executable& program,
                            const std::vector<std::string>& arguments, int output, int failure) {
  const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
  dup2(null, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  std::string why = become_like(model);
  if (why.empty()) {
    execute(program, arguments, model.environment);
    why = "cannot execute it: " + error_text(errno);
  }
  [[maybe_unused]] const ssize_t written = write(failure, why.data(), why.size());
  _exit(1);
}

// Reads until the end or the deadline; false after the deadline.
bool read_until(int fd, std::chrono::steady_clock::time_point deadline, std::string* text) {
  std::array<char, 4096> part;
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    pollfd input{fd, POLLIN, 0};
    if (left.count() <= 0) return false;
    if (poll(&input, 1, static_cast<int>(left.count()) + 1) <= 0) continue;
    const ssize_t got = read(fd, part.data(), part.size());
    if (got <= 0) return true;
    if (text->size() < kMostOutput) text->append(part.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace

StandardStreams share_streams(const RunningProcess& process, std::string* note) {
  StandardStreams streams;
  for (int stream = 0; stream < 3; ++stream) {
    OwnedFd& fd = streams[static_cast<std::size_t>(stream)];
    fd = OwnedFd(static_cast<int>(syscall(SYS_pidfd_getfd, process.handle.get(), stream, 0)));
    if (!fd) fd = open_again(process.pid, stream);
    if (fd) continue;
    *note += fmt::format("{}{} of process {} cannot be shared ({}); using /dev/null",
                         note->empty() ? "" : "; ", kStreamNames[static_cast<std::size_t>(stream)],
                         process.pid, error_text(errno));
    fd = OwnedFd(open("/dev/null", O_RDWR | O_CLOEXEC));
  }
  return streams;
}

std::string become_like(const RunningProcess& model) {
  if (fchdir(model.directory.get()) != 0) {
    return "cannot enter " + model.directory_path + ": " + error_text(errno);
  }
  umask(model.umask);
  // What the caller may not raise stays lower, as for any program that it starts.
  for (const auto& [resource, limit] : model.limits) {
    setrlimit(static_cast<__rlimit_resource>(resource), &limit);
  }
  setpriority(PRIO_PROCESS, 0, model.priority);
  if (geteuid() != model.uid || getegid() != model.gid) {
    if (setgroups(model.groups.size(), model.groups.data()) != 0 ||
        setresgid(model.gid, model.gid, model.gid) != 0 ||
        setresuid(model.uid, model.uid, model.uid) != 0) {
      return fmt::format("cannot become user {}: {}; run ringctl as that user or as root",
                         model.uid, error_text(errno));
    }
  }
  sigset_t none;
  sigemptyset(&none);
  for (int signal = 1; signal < NSIG; ++signal) std::signal(signal, SIG_DFL);
  pthread_sigmask(SIG_SETMASK, &none, nullptr);
  return {};
}

void execute(const Executable& program, const std::vector<std::string>& arguments,
             const std::vector<std::string>& environment) {
  close_others_on_exec();
  if (program.image >= 0) {
    syscall(SYS_execveat, program.image, "", pointers(arguments).data(),
            pointers(environment).data(), AT_EMPTY_PATH);
  } else {
    execve(program.path.c_str(), pointers(arguments).data(), pointers(environment).data());
  }
}

ProgramRun run_like(const RunningProcess& model, const Executable& program,
                    const std::vector<std::string>& arguments, std::chrono::nanoseconds timeout) {
  ProgramRun run;
  int output[2];
  int failure[2];
  if (pipe2(output, O_CLOEXEC) != 0) {
    run.failure = "cannot create a pipe: " + error_text(errno);
    return run;
  }
  const OwnedFd output_end(output[0]);
  OwnedFd output_start(output[1]);
  if (pipe2(failure, O_CLOEXEC) != 0) {
    run.failure = "cannot create a pipe: " + error_text(errno);
    return run;
  }
  const OwnedFd failure_end(failure[0]);
  OwnedFd failure_start(failure[1]);
  const pid_t child = fork();
  if (child == 0) run_child(model, program, arguments, output[1], failure[1]);
  output_start.close();
  failure_start.close();
  if (child < 0) {
    run.failure = "cannot start a process: " + error_text(errno);
    return run;
  }
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  const bool in_time = read_until(failure_end.get(), deadline, &run.failure) &&
                       read_until(output_end.get(), deadline, &run.output);
  if (!in_time) {
    kill(child, SIGKILL);
    run.failure = "it does not end in time";
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  run.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return run;
}

}  // namespace ringside::tool
