// Levels that consumerd enables for a limited time.
#include "consumerd/requests/level_requests.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "scripted_service.hpp"
#include "shm-layout/clock_reading.hpp"
#include "shm-layout/tick_time.hpp"
#include "temporary_directory.hpp"

namespace ringside::consumer_test {
namespace {

class LevelRequestsTest : public testing::Test {
 protected:
  void SetUp() override {
    consumer::AttachFailure failure;
    segment_ = consumer::AttachedSegment::attach(dir_.path(), service_.name(), &failure);
    ASSERT_NE(segment_, nullptr) << failure.why;
  }

  std::vector<std::uint64_t> deadlines() {
    std::vector<std::uint64_t> used;
    for (auto& word : service_.control().switch_deadlines.tsc) {
      if (word.load() != 0) used.push_back(word.load());
    }
    return used;
  }
  std::uint64_t tsc_in(std::chrono::seconds time) {
    const std::chrono::nanoseconds ns = time;
    return shm::read_tsc() + shm::ns_to_ticks(static_cast<std::uint64_t>(ns.count()),
                                              service_.header().tsc_frequency_hz);
  }

  TemporaryDirectory dir_;
  ScriptedService service_{dir_.path(), "svc", 1, 1};
  std::unique_ptr<consumer::AttachedSegment> segment_;
  const trace::SiteTable sites_{};
  const consumer::Log log_;
};

TEST_F(LevelRequestsTest, TheLongestOfSeveralRequestsOfALevelCounts) {
  consumer::LevelRequests requests(*segment_);
  for (const int seconds : {100, 10'000, 50}) {
    requests.ask(shm::Level::kDebug, std::chrono::seconds(seconds), "late fill");
  }
  requests.serve(sites_, log_);
  const std::vector<std::uint64_t> used = deadlines();
  ASSERT_EQ(used.size(), 1U);
  EXPECT_GT(used[0], tsc_in(std::chrono::seconds(5'000)));
}

TEST_F(LevelRequestsTest, ARequestIsServedOnce) {
  consumer::LevelRequests requests(*segment_);
  requests.ask(shm::Level::kDebug, std::chrono::seconds(10'000), "late fill");
  EXPECT_TRUE(requests.is_asked());
  requests.serve(sites_, log_);
  EXPECT_FALSE(requests.is_asked());
  ASSERT_EQ(deadlines().size(), 1U);
  for (auto& word : service_.control().switch_deadlines.tsc) word.store(0);
  requests.serve(sites_, log_);
  EXPECT_TRUE(deadlines().empty());
}

}  // namespace
}  // namespace ringside::consumer_test
