// What a manager gets whose queue of messages is full; tests/end-to-end/service_manager_test.py has
// the rest.
#include "consumerd/process/service_manager.hpp"

#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "consumerd/descriptors/unique_fd.hpp"
#include "temporary_directory.hpp"

namespace ringside::consumer_test {
namespace {

TEST(ServiceManager, LetsTheLoopSleepAlthoughTheQueueOfTheManagerIsFull) {
  using namespace std::chrono_literals;
  const TemporaryDirectory dir;
  const std::string path = dir.file("notify");
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  ASSERT_LT(path.size(), sizeof address.sun_path);
  std::memcpy(address.sun_path, path.data(), path.size());
  const auto* const name = reinterpret_cast<const sockaddr*>(&address);
  const consumer::UniqueFd manager(socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0));
  const consumer::UniqueFd other(socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0));
  ASSERT_EQ(bind(manager.get(), name, sizeof address), 0);
  setenv("NOTIFY_SOCKET", path.c_str(), 1);
  setenv("WATCHDOG_USEC", "20000000", 1);
  consumer::ServiceManager service;
  EXPECT_EQ(service.open(), "");
  unsetenv("NOTIFY_SOCKET");
  unsetenv("WATCHDOG_USEC");
  while (sendto(other.get(), "x", 1, 0, name, sizeof address) == 1) continue;

  const auto now = std::chrono::steady_clock::now();
  service.beat(now);
  const auto retry = service.next_beat();
  ASSERT_TRUE(retry);
  EXPECT_GT(*retry, now);
  EXPECT_LE(*retry, now + 1s);

  char text[32] = "";
  while (recv(manager.get(), text, 1, 0) == 1) continue;
  service.beat(*retry);
  EXPECT_EQ(recv(manager.get(), text, sizeof text, 0), 10);
  EXPECT_EQ(std::string(text, 10), "WATCHDOG=1");
  EXPECT_EQ(service.next_beat(), *retry + 10s);
}

}  // namespace
}  // namespace ringside::consumer_test
