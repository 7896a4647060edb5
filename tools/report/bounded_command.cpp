#include "tools/report/bounded_command.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <system_error>
#include <thread>
#include <unistd.h>

#include <sys/wait.h>

namespace ringside::tool {
namespace {

using Clock = std::chrono::steady_clock;

class Pipe {
 public:
  Pipe() = default;
  ~Pipe() {
    close(0);
    close(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  bool open() { return ::pipe2(ends_.data(), O_CLOEXEC) == 0; }
  int end(std::size_t which) const { return ends_[which]; }
  void close(std::size_t which) {
    if (ends_[which] >= 0) ::close(ends_[which]);
    ends_[which] = -1;
  }

 private:
  std::array<int, 2> ends_ = {-1, -1};
};

// False at the end of the stream.
bool take_more(int fd, std::string& text, std::size_t most_bytes, bool& is_cut) {
  std::array<char, 16'384> buffer;
  const ssize_t bytes = ::read(fd, buffer.data(), buffer.size());
  if (bytes < 0 && errno == EINTR) return true;
  if (bytes <= 0) return false;
  const auto size = static_cast<std::size_t>(bytes);
  const std::size_t room = most_bytes - text.size();
  text.append(buffer.data(), std::min(size, room));
  is_cut = is_cut || size > room;
  return true;
}

void read_both(pid_t pid, Pipe& output, Pipe& errors, const CommandBounds& bounds,
               Clock::time_point deadline, CommandResult& result) {
  bool are_errors_cut = false;
  std::array<pollfd, 2> streams = {{{output.end(0), POLLIN, 0}, {errors.end(0), POLLIN, 0}}};
  while (streams[0].fd >= 0 || streams[1].fd >= 0) {
    const auto rest = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    result.is_timed_out = rest <= 0;
    if (result.is_timed_out || result.is_cut) {
      ::kill(pid, SIGKILL);
      return;
    }
    const int ready = ::poll(streams.data(), streams.size(), static_cast<int>(rest));
    if (ready < 0 && errno != EINTR) return;
    if (ready <= 0) continue;
    if (streams[0].revents != 0 &&
        !take_more(streams[0].fd, result.output, bounds.most_output_bytes, result.is_cut))
      streams[0].fd = -1;
    if (streams[1].revents != 0 &&
        !take_more(streams[1].fd, result.errors, bounds.most_error_bytes, are_errors_cut))
      streams[1].fd = -1;
  }
}

// A process can live on after it has closed its streams.
void wait_for_end(pid_t pid, Clock::time_point deadline, CommandResult& result) {
  constexpr std::chrono::milliseconds kPause{5};
  int status = 0;
  for (;;) {
    const bool is_over = result.is_timed_out || result.is_cut;
    const pid_t ended = ::waitpid(pid, &status, is_over ? 0 : WNOHANG);
    if (ended == pid) break;
    if (ended < 0 && errno != EINTR) return;
    if (is_over) continue;
    if (Clock::now() >= deadline) {
      ::kill(pid, SIGKILL);
      result.is_timed_out = true;
    } else {
      std::this_thread::sleep_for(kPause);
    }
  }
  if (WIFEXITED(status)) result.status = WEXITSTATUS(status);
}

}  // namespace

bool run_bounded(const std::string& program, const std::vector<std::string>& arguments,
                 const CommandBounds& bounds, CommandResult& result, std::string* why) {
  Pipe output;
  Pipe errors;
  if (!output.open() || !errors.open()) {
    *why = "cannot create a pipe: " + std::generic_category().message(errno) + "; close files";
    return false;
  }
  std::vector<std::string> words = {program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output.end(1), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors.end(1), STDERR_FILENO);
  // Not the signals that this process blocks or ignores.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t signals;
  sigemptyset(&signals);
  posix_spawnattr_setsigmask(&attributes, &signals);
  sigaddset(&signals, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &signals);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  pid_t pid = -1;
  const int code =
      ::posix_spawn(&pid, program.c_str(), &actions, &attributes, pointers.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (code != 0) {
    *why = program + ": cannot be started: " + std::generic_category().message(code) +
           "; check its permissions";
    return false;
  }
  output.close(1);
  errors.close(1);
  const auto deadline = Clock::now() + std::chrono::milliseconds(bounds.timeout_ms);
  read_both(pid, output, errors, bounds, deadline, result);
  wait_for_end(pid, deadline, result);
  return true;
}

}  // namespace ringside::tool
