// The memory of waiting extents is available again after they were taken.
#include "trace-format/reader/waiting_extents.hpp"

#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "trace_file_builder.hpp"

namespace ringside::trace::testing {
namespace {

class WaitingExtentsTest : public ::testing::Test {
 protected:
  // An extent of this number of bytes; their content does not matter here.
  static Block block_of(const Bytes& payload, std::uint64_t offset) {
    Block block;
    block.offset = offset;
    block.payload = payload;
    return block;
  }

  ReadOptions options_;
  SegmentInfo segment_;
  SectionCatalog catalog_{options_, segment_};
  ClockMap clocks_;
};

TEST_F(WaitingExtentsTest, KeepsPayloadsHoweverManyWereTakenBefore) {
  WaitingExtents waiting(nullptr, catalog_, clocks_);
  const Bytes payload(std::size_t{1} << 20);
  ExtentHeader header;
  for (std::uint64_t i = 0; i < 100; ++i) {
    const std::uint32_t number = waiting.add(block_of(payload, i), header);
    const WaitingExtents::Taken taken = waiting.take(number);
    EXPECT_EQ(taken.offset, i);
    ASSERT_EQ(taken.payload.size(), payload.size()) << i;
  }
}

TEST_F(WaitingExtentsTest, KeepsAtMost32MiBOfPayloads) {
  WaitingExtents waiting(nullptr, catalog_, clocks_);
  const Bytes payload(std::size_t{1} << 20);
  ExtentHeader header;
  std::vector<std::uint32_t> numbers;
  for (std::uint64_t i = 0; i < 40; ++i) {
    numbers.push_back(waiting.add(block_of(payload, i), header));
  }
  std::size_t kept = 0;
  for (const std::uint32_t number : numbers) kept += waiting.take(number).payload.empty() ? 0U : 1U;
  EXPECT_EQ(kept, 32U);
}

TEST_F(WaitingExtentsTest, DecodesAheadHoweverManyWereDecodedBefore) {
  DecodePool pool(1);
  if (pool.threads() == 0) GTEST_FAIL() << "the system refuses a thread";
  WaitingExtents waiting(&pool, catalog_, clocks_);
  const Bytes payload(64);
  ExtentHeader header;
  header.records = 64 * 1024;  // 8 MiB each, decoded
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  for (std::uint64_t decoded = 0; decoded < 20;) {
    ASSERT_LT(std::chrono::steady_clock::now(), give_up) << decoded << " were decoded";
    const std::uint32_t number = waiting.add(block_of(payload, decoded), header);
    // If the thread has not begun yet, the extent is taken undecoded.
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const WaitingExtents::Taken taken = waiting.take(number);
    if (taken.decoded == nullptr) continue;
    waiting.release(taken.decoded_bytes);
    ++decoded;
  }
}

}  // namespace
}  // namespace ringside::trace::testing
