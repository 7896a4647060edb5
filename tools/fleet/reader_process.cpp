#include "tools/fleet/reader_process.hpp"

#include <array>
#include <cerrno>
#include <cstddef>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <spawn.h>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>
#include <sys/wait.h>

#include "tools/fleet/fleet_program.hpp"

namespace ringside::fleet {
namespace {

constexpr const char* kReaderName = "fleet-reader";

void close_both(const std::array<int, 2>& pipe) {
  for (const int fd : pipe) {
    if (fd >= 0) ::close(fd);
  }
}

std::string reason_of(int code) {
  return std::generic_category().message(code);
}

}  // namespace

std::unique_ptr<ReaderProcess> ReaderProcess::start(const ReaderRequest& request,
                                                    std::string* why) {
  const std::string path = fleet_program_path(kReaderName);
  if (path.empty()) {
    *why =
        "traces of a fleet cannot be read: the program fleet-reader is not installed; install the "
        "package ringside-fleet, or build Ringside with libnats";
    return nullptr;
  }
  std::array<int, 2> input = {-1, -1};
  std::array<int, 2> output = {-1, -1};
  if (::pipe2(input.data(), O_CLOEXEC) != 0 || ::pipe2(output.data(), O_CLOEXEC) != 0) {
    *why = fmt::format("cannot create a pipe: {}; close files", reason_of(errno));
    close_both(input);
    close_both(output);
    return nullptr;
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO);
  std::string name = kReaderName;
  const std::array<char*, 2> arguments = {name.data(), nullptr};
  pid_t pid = -1;
  const int code = ::posix_spawn(&pid, path.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(input[0]);
  ::close(output[1]);
  if (code != 0) {
    *why = fmt::format("{}: cannot be started: {}; check its permissions", path, reason_of(code));
    ::close(input[1]);
    ::close(output[0]);
    return nullptr;
  }
  std::unique_ptr<ReaderProcess> started(new ReaderProcess(pid, input[1], output[0]));
  // A pipe takes this much at once. If the process has ended already, its output tells why.
  const std::string line = write_reader_request(request) + "\n";
  if (line.size() > PIPE_BUF) {
    *why = "the request to fleet-reader is too long; use shorter names of files and servers";
    return nullptr;
  }
  while (::write(started->input_, line.data(), line.size()) < 0 && errno == EINTR) {
  }
  return started;
}

ReaderProcess::~ReaderProcess() {
  ::close(input_);
  // A process that waits until its output is read would never end.
  ::close(output_);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  // If it was killed, its directory is still there.
  std::error_code ignored;
  if (!directory_.empty()) std::filesystem::remove_all(directory_, ignored);
}

std::optional<ReaderLine> ReaderProcess::next(int timeout_ms) {
  while (lines_.empty() && !is_closed_) {
    pollfd waited{output_, POLLIN, 0};
    const int ready = ::poll(&waited, 1, timeout_ms);
    // A signal ends a wait with a limit: the caller checks for it.
    if (ready == 0 || (ready < 0 && (errno != EINTR || timeout_ms >= 0))) return {};
    if (ready < 0) continue;
    std::array<char, 4096> bytes{};
    const ssize_t count = ::read(output_, bytes.data(), bytes.size());
    if (count > 0) take({bytes.data(), static_cast<std::size_t>(count)});
    if (count == 0 || (count < 0 && errno != EINTR)) is_closed_ = true;
  }
  if (lines_.empty()) return {};
  ReaderLine first = std::move(lines_.front());
  lines_.pop_front();
  return first;
}

void ReaderProcess::take(std::string_view bytes) {
  unfinished_ += bytes;
  std::size_t begin = 0;
  for (std::size_t end = unfinished_.find('\n'); end != std::string::npos;
       end = unfinished_.find('\n', begin)) {
    const std::string_view line = std::string_view(unfinished_).substr(begin, end - begin);
    const std::size_t space = std::min(line.find(' '), line.size());
    ReaderLine taken{std::string(line.substr(0, space)), {}};
    if (space < line.size()) taken.text = line.substr(space + 1);
    if (taken.kind == "directory") directory_ = taken.text;
    lines_.push_back(std::move(taken));
    begin = end + 1;
  }
  unfinished_.erase(0, begin);
}

}  // namespace ringside::fleet
