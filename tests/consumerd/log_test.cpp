// Messages whose reader does not read: the log never waits for it, and counts what it suppresses.
#include "consumerd/log/log.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sstream>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "consumerd/descriptors/unique_fd.hpp"
#include "consumerd_process.hpp"
#include "scripted_service.hpp"
#include "temporary_directory.hpp"
#include "trace_content.hpp"

namespace ringside::consumer_test {
namespace {

struct Ends {
  consumer::UniqueFd reader;
  consumer::UniqueFd writer;  // in blocking mode
};

Ends pipe_ends() {
  std::array<int, 2> fds{-1, -1};
  EXPECT_EQ(pipe2(fds.data(), O_CLOEXEC), 0);
  return {consumer::UniqueFd(fds[0]), consumer::UniqueFd(fds[1])};
}

Ends socket_ends() {
  std::array<int, 2> fds{-1, -1};
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds.data()), 0);
  return {consumer::UniqueFd(fds[0]), consumer::UniqueFd(fds[1])};
}

Ends terminal_ends() {
  consumer::UniqueFd reader(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!reader || grantpt(reader.get()) != 0 || unlockpt(reader.get()) != 0) return {};
  std::array<char, 128> name{};
  if (ptsname_r(reader.get(), name.data(), name.size()) != 0) return {};
  return {std::move(reader), consumer::UniqueFd(open(name.data(), O_RDWR | O_NOCTTY | O_CLOEXEC))};
}

// Everything that can be read now.
std::string read_all(int fd) {
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
  std::string all;
  std::array<char, 4096> piece{};
  for (;;) {
    const ssize_t got = ::read(fd, piece.data(), piece.size());
    if (got <= 0) return all;
    all.append(piece.data(), static_cast<std::size_t>(got));
  }
}

class UnreadMessages : public testing::TestWithParam<Ends (*)()> {};

TEST_P(UnreadMessages, AreSuppressedAndCounted) {
  const Ends ends = GetParam()();
  if (!ends.writer) GTEST_SKIP() << "no terminal can be created here";
  const int flags = fcntl(ends.writer.get(), F_GETFL);
  const consumer::Log log(false, consumer::LogFormat::kText, ends.writer.get());
  constexpr std::size_t kMessages = 10'000;
  const std::string long_text(300, 'x');
  for (std::size_t i = 0; i < kMessages; ++i) log.notice(std::to_string(i) + "#" + long_text);
  EXPECT_EQ(fcntl(ends.writer.get(), F_GETFL), flags)
      << "other processes share the open file description";

  std::string said = read_all(ends.reader.get());
  log.report_suppressed();
  log.notice("afterwards");
  said += read_all(ends.reader.get());
  // Several reports are possible: a report is shorter than a message, and can fit where a message
  // does not.
  std::size_t suppressed = 0;
  std::size_t last_report = 0;
  std::istringstream lines(said);
  for (std::string line; std::getline(lines, line);) {
    if (line.find(" suppressed: ") == std::string::npos) continue;
    suppressed += std::stoul(line.substr(line.find("error: ") + 7));
    last_report = static_cast<std::size_t>(lines.tellg());
  }
  const std::size_t written = occurrences(said, "#" + long_text);
  EXPECT_EQ(written + suppressed, kMessages);
  EXPECT_GT(written, 5U);
  EXPECT_GT(suppressed, 1000U);
  EXPECT_NE(said.find("afterwards", last_report), std::string::npos);

  log.report_suppressed();
  EXPECT_EQ(read_all(ends.reader.get()), "") << "reported once";
}

INSTANTIATE_TEST_SUITE_P(Every, UnreadMessages,
                         testing::Values(pipe_ends, socket_ends, terminal_ends));

TEST(Log, SurvivesAClosedPipe) {
  EXPECT_EXIT(
      {
        std::signal(SIGPIPE, SIG_IGN);  // NOLINT(bugprone-signal-handler): as main() does
        Ends ends = pipe_ends();
        const consumer::Log log(false, consumer::LogFormat::kText, ends.writer.get());
        ends.reader.reset();
        log.error("unread message");
        log.report_suppressed();
        _exit(0);
      },
      testing::ExitedWithCode(0), "");
}

// Standard error of a service manager that hangs: the pipe is full before consumerd starts, and
// each of its steps logs a message.
void drain_with_unread_standard_error(const Ends& ends) {
  const TemporaryDirectory shm;
  const TemporaryDirectory out;
  const std::string filler(4096, '.');
  fcntl(ends.writer.get(), F_SETFL, fcntl(ends.writer.get(), F_GETFL) | O_NONBLOCK);
  while (::write(ends.writer.get(), filler.data(), filler.size()) > 0) {
  }
  while (::write(ends.writer.get(), filler.data(), 1) > 0) {
  }
  fcntl(ends.writer.get(), F_SETFL, fcntl(ends.writer.get(), F_GETFL) & ~O_NONBLOCK);
  ConsumerdProcess consumerd({"-v", "-o", out.path(), "--shm-dir", shm.path()}, {},
                             ends.writer.get());
  ScriptedService service(shm.path(), "busy", 1, 1);
  service.publish(0, 100);
  ASSERT_TRUE(comes_true([&] { return service.ring(0).consumer.written_pos.load() == 1600; }));

  std::string said;
  EXPECT_TRUE(comes_true([&] {
    said += read_all(ends.reader.get());
    return said.find("were suppressed") != std::string::npos;
  })) << "the count comes without a further message";
  EXPECT_EQ(consumerd.terminate(), 0);
  EXPECT_TRUE(counts_up_to(read_traces(out.path(), "busy"), 1, 100));
}

TEST(UnreadStandardError, DoesNotStopDrainingAsAPipe) {
  drain_with_unread_standard_error(pipe_ends());
}

TEST(UnreadStandardError, DoesNotStopDrainingAsASocket) {
  drain_with_unread_standard_error(socket_ends());
}

}  // namespace
}  // namespace ringside::consumer_test
