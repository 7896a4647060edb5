#include "tools/processes/bounded_command.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <sys/wait.h>

#include "tools/processes/started_process.hpp"

namespace ringside::tool {
namespace {

// A process can live on after it has closed its streams.
constexpr int kPauseOfClosedMs = 5;
// So that one program does not keep the others waiting.
constexpr int kMostReads = 64;

struct Pipe {
  OwnedFd out;
  OwnedFd in;

  // Reading does not wait.
  bool open() {
    std::array<int, 2> ends = {-1, -1};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return false;
    out = OwnedFd(ends[0]);
    in = OwnedFd(ends[1]);
    return ::fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0;
  }
};

// Closes the stream at its end. What exceeds the bound is read too, and dropped: the program could
// wait for a reader.
void take_arrived(OwnedFd& fd, std::string& text, std::size_t most_bytes, bool& is_cut) {
  std::array<char, 16'384> buffer;
  for (int i = 0; i < kMostReads && fd; ++i) {
    const ssize_t bytes = ::read(fd.get(), buffer.data(), buffer.size());
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes < 0 && errno == EAGAIN) return;
    if (bytes <= 0) {
      fd.close();
      return;
    }
    const auto size = static_cast<std::size_t>(bytes);
    const std::size_t room = most_bytes - text.size();
    text.append(buffer.data(), std::min(size, room));
    is_cut = is_cut || size > room;
  }
}

// In the child.
void take_streams(int input, int output, int errors) {
  if (::dup2(input, STDIN_FILENO) < 0 || ::dup2(output, STDOUT_FILENO) < 0 ||
      ::dup2(errors, STDERR_FILENO) < 0)
    ::_exit(1);
  // This process may block and ignore signals.
  ::signal(SIGPIPE, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::pthread_sigmask(SIG_SETMASK, &none, nullptr);
}

}  // namespace

std::unique_ptr<BoundedCommand> BoundedCommand::start(const std::string& program,
                                                      const std::vector<std::string>& arguments,
                                                      const CommandBounds& bounds,
                                                      std::string* why) {
  const OwnedFd input(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  Pipe output;
  Pipe errors;
  if (!input || !output.open() || !errors.open()) {
    *why = "cannot open /dev/null or a pipe: " + std::generic_category().message(errno) +
           "; close files";
    return nullptr;
  }
  std::unique_ptr<BoundedCommand> command(
      new BoundedCommand(bounds, std::move(output.out), std::move(errors.out)));
  std::vector<std::string> words = {program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const StartedProcess started = start_process(
      words, SIGKILL, [&] { take_streams(input.get(), output.in.get(), errors.in.get()); });
  command->pid_ = started.pid;
  if (started.pid >= 0) return command;
  *why = program + ": cannot be started: " + std::generic_category().message(started.error) +
         (started.error == E2BIG ? "; use shorter arguments" : "; check its permissions");
  return nullptr;
}

BoundedCommand::~BoundedCommand() {
  kill_now();
}

void BoundedCommand::kill_now() {
  if (pid_ < 0) return;
  ::kill(pid_, SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
}

std::array<pollfd, 2> BoundedCommand::streams() const {
  return {{{output_.get(), POLLIN, 0}, {errors_.get(), POLLIN, 0}}};
}

int BoundedCommand::wait_ms() const {
  const auto rest = std::chrono::ceil<std::chrono::milliseconds>(deadline_ - Clock::now()).count();
  const auto ms = static_cast<int>(std::clamp<std::int64_t>(rest, 0, bounds_.timeout_ms));
  return output_ || errors_ ? ms : std::min(ms, kPauseOfClosedMs);
}

bool BoundedCommand::advance() {
  if (pid_ < 0) return true;
  take_arrived(output_, result_.output, bounds_.most_output_bytes, result_.is_cut);
  take_arrived(errors_, result_.errors, bounds_.most_error_bytes, are_errors_cut_);
  result_.is_timed_out = Clock::now() >= deadline_;
  if (result_.is_cut || result_.is_timed_out) {
    kill_now();
    return true;
  }
  if (output_ || errors_) return false;
  int status = 0;
  const pid_t ended = ::waitpid(pid_, &status, WNOHANG);
  if (ended == 0 || (ended < 0 && errno == EINTR)) return false;
  if (ended == pid_ && WIFEXITED(status)) result_.status = WEXITSTATUS(status);
  pid_ = -1;
  return true;
}

bool run_bounded(const std::string& program, const std::vector<std::string>& arguments,
                 const CommandBounds& bounds, CommandResult& result, std::string* why) {
  const auto command = BoundedCommand::start(program, arguments, bounds, why);
  if (command == nullptr) return false;
  while (!command->advance()) {
    auto streams = command->streams();
    ::poll(streams.data(), streams.size(), command->wait_ms());
  }
  result = std::move(command->result());
  return true;
}

}  // namespace ringside::tool
