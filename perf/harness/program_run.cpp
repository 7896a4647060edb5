#include "perf/harness/program_run.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <poll.h>
#include <unistd.h>
#include <utility>

namespace ringside::perf {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kGrace = std::chrono::seconds(2);

// Appends the available data; returns false at the end of the stream.
bool take(int fd, std::string& text, bool forward) {
  std::array<char, 4096> part{};
  const ssize_t got = read(fd, part.data(), part.size());
  if (got < 0) return errno == EINTR || errno == EAGAIN;
  if (got == 0) return false;
  text.append(part.data(), static_cast<std::size_t>(got));
  if (forward && write(STDERR_FILENO, part.data(), static_cast<std::size_t>(got)) < 0) return true;
  return true;
}

}  // namespace

ProgramRun run_program(Launch launch, std::chrono::seconds limit, ErrorOutput error_output) {
  ProgramRun run;
  Pipe output;
  Pipe errors;
  if (!output.write.is_open() || !errors.write.is_open()) return run;
  launch.output = output.write.get();
  launch.errors = errors.write.get();
  launch.leads_group = true;
  ChildProcess program(launch);
  output.write.close();
  errors.write.close();
  auto deadline = Clock::now() + limit;
  std::array<pollfd, 2> watched{pollfd{output.read.get(), POLLIN, 0},
                                pollfd{errors.read.get(), POLLIN, 0}};
  const bool forward = error_output == ErrorOutput::kKeepAndForward;
  while (watched[0].fd >= 0 || watched[1].fd >= 0) {
    if (poll(watched.data(), watched.size(), 100) > 0) {
      if (watched[0].revents != 0 && !take(output.read.get(), run.output, false))
        watched[0].fd = -1;
      if (watched[1].revents != 0 && !take(errors.read.get(), run.errors, forward))
        watched[1].fd = -1;
    }
    if (Clock::now() > deadline) {
      program.send(run.timed_out ? SIGKILL : SIGTERM);
      run.timed_out = true;
      deadline = Clock::now() + kGrace;
    }
  }
  run.status = program.wait();
  return run;
}

std::string last_line(const std::string& text) {
  const std::size_t end = text.find_last_not_of(" \t\r\n");
  if (end == std::string::npos) return {};
  const std::size_t begin = text.find_last_of('\n', end);
  return text.substr(begin == std::string::npos ? 0 : begin + 1,
                     end - (begin == std::string::npos ? 0 : begin + 1) + 1);
}

}  // namespace ringside::perf
