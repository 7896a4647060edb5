// A service that overwrites its own segment at random while the real consumerd drains it.
#include <atomic>
#include <chrono>
#include <cstring>
#include <random>
#include <thread>

#include <gtest/gtest.h>

#include "consumerd_process.hpp"
#include "scripted_service.hpp"
#include "temporary_directory.hpp"
#include "trace_content.hpp"

namespace ringside::consumer_test {
namespace {

void scribble(ScriptedService& service, std::uint32_t seed, const std::atomic<bool>& stop) {
  std::mt19937_64 random(seed);
  const shm::SegmentLayout& layout = service.layout();
  // The regions before the rings, and the first two rings: mostly the words that control the
  // consumer.
  const std::uint64_t starts[] = {0, layout.control_offset, layout.metadata_offset,
                                  layout.dictionary_offset, layout.rings_offset};
  const std::uint64_t sizes[] = {4096, 256, 4 * sizeof(shm::RingMetadata), 4096,
                                 2 * layout.ring_bytes};
  while (!stop.load(std::memory_order_relaxed)) {
    const std::size_t region = random() % 5;
    const std::uint64_t at = starts[region] + random() % (sizes[region] / 8) * 8;
    std::uint64_t value = random();
    if (random() % 2 == 0) value >>= random() % 64;
    if (random() % 4 == 0) {
      // Plausible positions reach further than random ones.
      std::memcpy(&value, service.bytes() + layout.metadata_offset, sizeof value);
      value += random() % 256;
    }
    reinterpret_cast<std::atomic<std::uint64_t>*>(service.bytes() + at)
        ->store(value, std::memory_order_relaxed);
    if (random() % 64 == 0) std::this_thread::yield();
  }
}

TEST(HostileSegment, NeitherEndsConsumerdNorTouchesItsNeighbour) {
  const TemporaryDirectory shm;
  const TemporaryDirectory out;
  ScriptedService healthy(shm.path(), "healthy", 1, 2);
  std::vector<std::unique_ptr<ScriptedService>> hostile;
  ConsumerdProcess consumerd({"-o", out.path(), "--shm-dir", shm.path()});
  std::uint64_t sent = 0;
  // A new victim every 200 ms: a quarantined ring is no longer attacked.
  for (unsigned round = 0; round < 10; ++round) {
    hostile.push_back(std::make_unique<ScriptedService>(shm.path(), "hostile", 100 + round, 4));
    for (std::uint32_t ring = 0; ring < 4; ++ring) hostile.back()->publish(ring, 200);
    std::atomic<bool> stop{false};
    std::thread scribbler([&] { scribble(*hostile.back(), round, stop); });
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
    while (std::chrono::steady_clock::now() < until) {
      sent += healthy.publish(0, 50);
      healthy.publish(1, 50);
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    stop = true;
    scribbler.join();
    ASSERT_TRUE(consumerd.runs()) << consumerd.error_output();
  }
  EXPECT_GT(sent, 0U);
  EXPECT_EQ(consumerd.terminate(), 0) << consumerd.error_output();
  const TraceContent content = read_traces(out.path(), "healthy");
  EXPECT_TRUE(content.faults.empty()) << content.faults.front();
  EXPECT_TRUE(counts_up_to(content, 1, healthy.published(0)));
  EXPECT_TRUE(counts_up_to(content, 2, healthy.published(1)));
}

}  // namespace
}  // namespace ringside::consumer_test
