#include <chrono>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

#include "consumerd_process.hpp"
#include "scripted_service.hpp"
#include "temporary_directory.hpp"
#include "trace_content.hpp"

namespace ringside::consumer_test {
namespace {

// Nanoseconds on a processor, user and kernel together.
std::uint64_t cpu_ns(pid_t pid) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/schedstat");
  std::uint64_t ns = 0;
  in >> ns;
  return ns;
}

TEST(IdleConsumerd, CostWith64RingsIsPrinted) {
  const TemporaryDirectory shm;
  const TemporaryDirectory out;
  ScriptedService service(shm.path(), "svc", 1, 64);
  ConsumerdProcess consumerd({"-o", out.path(), "--shm-dir", shm.path()});
  for (std::uint32_t ring = 0; ring < 64; ++ring) service.publish(ring, 10);
  ASSERT_TRUE(comes_true([&] { return service.ring(63).consumer.written_pos.load() == 160; }));
  const std::uint64_t before = cpu_ns(consumerd.pid());
  const std::uint64_t rounds = service.control().consumer.heartbeat.load();
  std::this_thread::sleep_for(std::chrono::seconds(2));
  const std::uint64_t spent = cpu_ns(consumerd.pid()) - before;
  std::printf(
      "idle consumerd, 64 rings: %.2f %% of a core, %.1f us a round, %llu rounds a second\n",
      static_cast<double>(spent) / 2e9 * 100,
      static_cast<double>(spent) / 1e3 /
          static_cast<double>(service.control().consumer.heartbeat.load() - rounds),
      static_cast<unsigned long long>((service.control().consumer.heartbeat.load() - rounds) / 2));
  EXPECT_TRUE(comes_true([&] { return service.control().consumer.heartbeat.load() > rounds; }));
  EXPECT_EQ(consumerd.terminate(), 0);
  EXPECT_EQ(read_traces(out.path(), "svc").records, 640U);
}

}  // namespace
}  // namespace ringside::consumer_test
