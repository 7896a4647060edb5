#include "tools/report/mcp_server.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <poll.h>
#include <unistd.h>
#include <utility>

#include <sys/signalfd.h>

namespace ringside::tool {
namespace {

// Each one uses several processors, and may read the whole trace.
constexpr std::size_t kMostRunning = 2;
constexpr std::size_t kMostWaiting = 1'024;
constexpr short kClosed = POLLERR | POLLHUP | POLLNVAL;

OwnedFd blocked_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int each : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, each);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return OwnedFd(::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
}

}  // namespace

McpServer::McpServer(const McpSession& session, McpServing serving)
    : session_(session), serving_(std::move(serving)), signals_(blocked_signals()) {}

bool McpServer::run() {
  while (state_ == State::kServing) {
    start_waiting();
    if (state_ != State::kServing || (!has_input_ && running_.empty())) break;
    wait();
    if (is_input_ready_) read_input();
    advance_running();
  }
  running_.clear();
  errno = error_;
  return state_ != State::kFailed;
}

void McpServer::wait() {
  std::vector<pollfd> polled = {{signals_.get(), POLLIN, 0},
                                {STDOUT_FILENO, 0, 0},
                                {has_input_ ? STDIN_FILENO : -1, POLLIN, 0}};
  int wait_ms = -1;
  for (const Running& each : running_) {
    const auto streams = each.command->streams();
    polled.insert(polled.end(), streams.begin(), streams.end());
    const int each_ms = each.command->wait_ms();
    wait_ms = wait_ms < 0 ? each_ms : std::min(wait_ms, each_ms);
  }
  is_input_ready_ = false;
  if (::poll(polled.data(), polled.size(), wait_ms) <= 0) return;
  is_input_ready_ = polled[2].revents != 0;
  if (polled[0].revents != 0) state_ = State::kEnded;
  if ((polled[1].revents & kClosed) != 0) fail(EPIPE);
}

void McpServer::read_input() {
  std::array<char, 16'384> buffer;
  const ssize_t bytes = ::read(STDIN_FILENO, buffer.data(), buffer.size());
  if (bytes < 0 && (errno == EINTR || errno == EAGAIN)) return;
  has_input_ = bytes > 0;
  for (ssize_t i = 0; i < bytes && state_ == State::kServing; ++i) {
    const char c = buffer[static_cast<std::size_t>(i)];
    if (c == '\n') {
      take_line();
      continue;
    }
    is_line_too_long_ = is_line_too_long_ || line_.size() > McpSession::kMostLineBytes;
    if (!is_line_too_long_) line_ += c;
  }
}

void McpServer::take_line() {
  if (!line_.empty()) {
    McpReaction reaction = session_.take(line_);
    if (reaction.answer) send(*std::move(reaction.answer));
    if (reaction.cancelled) cancel(*reaction.cancelled);
    if (reaction.call && waiting_.size() < kMostWaiting) {
      waiting_.push_back(*std::move(reaction.call));
    } else if (reaction.call) {
      send(McpSession::failure_of(*reaction.call,
                                  "too many questions wait for answers; ask again later"));
    }
  }
  line_.clear();
  is_line_too_long_ = false;
}

void McpServer::start_waiting() {
  while (!waiting_.empty() && running_.size() < kMostRunning && state_ == State::kServing) {
    McpCall call = std::move(waiting_.front());
    waiting_.pop_front();
    std::vector<std::string> arguments = call.question.command;
    arguments.insert(arguments.end(), serving_.paths.begin(), serving_.paths.end());
    std::string why;
    auto command = BoundedCommand::start(serving_.program, arguments, serving_.bounds, &why);
    if (command == nullptr) {
      send(McpSession::failure_of(call, why));
      continue;
    }
    running_.push_back({std::move(call), std::move(command)});
  }
}

void McpServer::advance_running() {
  for (std::size_t i = 0; i < running_.size() && state_ == State::kServing;) {
    if (!running_[i].command->advance()) {
      ++i;
      continue;
    }
    const Running ended = std::move(running_[i]);
    running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
    send(session_.answer_of(ended.call, ended.command->result()));
  }
}

void McpServer::cancel(const std::string& id) {
  std::erase_if(waiting_, [&id](const McpCall& call) { return call.id == id; });
  std::erase_if(running_, [&id](const Running& each) { return each.call.id == id; });
}

void McpServer::send(std::string line) {
  line += '\n';
  std::string_view rest = line;
  while (!rest.empty() && state_ == State::kServing) {
    std::array<pollfd, 2> polled = {{{signals_.get(), POLLIN, 0}, {STDOUT_FILENO, POLLOUT, 0}}};
    if (::poll(polled.data(), polled.size(), -1) < 0 && errno != EINTR) return fail(errno);
    if (polled[0].revents != 0) state_ = State::kEnded;
    if (polled[0].revents != 0 || polled[1].revents == 0) continue;
    const ssize_t written =
        ::write(STDOUT_FILENO, rest.data(), std::min<std::size_t>(rest.size(), PIPE_BUF));
    if (written < 0 && errno != EINTR && errno != EAGAIN) return fail(errno);
    if (written > 0) rest.remove_prefix(static_cast<std::size_t>(written));
  }
}

void McpServer::fail(int error) {
  state_ = State::kFailed;
  error_ = error;
}

}  // namespace ringside::tool
