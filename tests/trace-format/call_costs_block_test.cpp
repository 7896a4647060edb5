// What CALL_COSTS blocks state of a segment is counted once, however often and by whichever
// consumer it was written, and no block does harm.
#include "trace-format/blocks/call_costs_block.hpp"

#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "trace_file_builder.hpp"

namespace ringside::trace::testing {
namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

CallCostsBlock costs_of(std::uint64_t until_tsc, std::uint64_t calls) {
  CallCostsBlock costs{until_tsc, 8192, {}};
  costs.counts.ticks = 100 * calls;
  costs.counts.waited = 1;
  costs.counts.count[0] = 1;
  costs.counts.count[shm::cost_bucket(100)] = calls - 1;
  return costs;
}

Bytes costs_bytes(const CallCostsBlock& costs) {
  Bytes bytes(call_costs_block_bytes(costs));
  EXPECT_EQ(write_call_costs_block(costs, bytes), bytes.size());
  return bytes;
}

Bytes payload_of_costs(const CallCostsBlock& costs) {
  const Bytes block = costs_bytes(costs);
  return {block.begin() + kBlockHeaderBytes, block.end()};
}

bool is_sound(const Bytes& payload) {
  CallCostsBlock read;
  return CallCostsBlock::parse(payload, read);
}

Bytes file_with_costs(const std::vector<CallCostsBlock>& blocks, std::uint8_t uuid = 1) {
  TraceFileBuilder file;
  file.begin(uuid, "orders");
  for (const CallCostsBlock& block : blocks) append(file.bytes, costs_bytes(block));
  file.end();
  return file.bytes;
}

ReadReport report_of(const std::vector<Bytes>& files) {
  const TemporaryDirectory directory;
  std::vector<std::string> paths;
  for (const Bytes& file : files) {
    paths.push_back(directory.write("costs-" + std::to_string(paths.size()) + ".ringtrace", file));
  }
  ReadError error;
  auto set = TraceSet::open(paths, &error);
  EXPECT_TRUE(set);
  Event event;
  while (set->next(event)) {
  }
  return set->report();
}

TEST(CallCostsBlock, GivesBackWhatWasWritten) {
  CallCostsBlock costs = costs_of(500, 7);
  costs.counts.count[shm::kCostBuckets - 1] = kMost;
  CallCostsBlock read;
  ASSERT_TRUE(CallCostsBlock::parse(payload_of_costs(costs), read));
  EXPECT_EQ(read.until_tsc, 500U);
  EXPECT_EQ(read.one_in, 8192U);
  EXPECT_EQ(read.counts, costs.counts);
  EXPECT_EQ(call_costs_block_bytes(costs), kBlockHeaderBytes + 32 + 3 * 16);
  Bytes small(call_costs_block_bytes(costs) - 1);
  EXPECT_EQ(write_call_costs_block(costs, small), 0U);
}

TEST(CallCostsBlock, OfANewerWriterMayBeLonger) {
  Bytes payload = payload_of_costs(costs_of(500, 7));
  payload.resize(payload.size() + 40, std::byte{0xFF});
  EXPECT_TRUE(is_sound(payload));
}

TEST(CallCostsBlock, WithImpossibleContentsIsRejected) {
  const Bytes sound = payload_of_costs(costs_of(500, 7));
  ASSERT_TRUE(is_sound(sound));
  for (std::size_t bytes = 0; bytes < sound.size(); ++bytes) {
    EXPECT_FALSE(is_sound({sound.begin(), sound.begin() + static_cast<std::ptrdiff_t>(bytes)}));
  }
  const auto with = [&sound](std::size_t at, std::uint32_t value) {
    Bytes changed = sound;
    store(changed.data() + at, value);
    return changed;
  };
  constexpr std::size_t kOneIn = 24;
  constexpr std::size_t kCount = 28;
  constexpr std::size_t kFirst = 32;
  constexpr std::size_t kSecond = 48;
  EXPECT_FALSE(is_sound(with(kOneIn, 0)));
  EXPECT_FALSE(is_sound(with(kCount, 3)));
  EXPECT_FALSE(is_sound(with(kCount, 0xFFFFFFFF)));
  EXPECT_FALSE(is_sound(with(kFirst, shm::kCostBuckets)));
  EXPECT_FALSE(is_sound(with(kSecond, shm::kCostBuckets)));
  EXPECT_FALSE(is_sound(with(kSecond, 0xFFFFFFFF)));
  EXPECT_FALSE(is_sound(with(kSecond, 0)));                         // the same bucket twice
  EXPECT_FALSE(is_sound(with(kFirst, shm::cost_bucket(100) + 1)));  // falling
  EXPECT_TRUE(is_sound(with(kFirst, 1)));
}

TEST(CallCostsInATrace, OfASegmentAreTheNewest) {
  const ReadReport report =
      report_of({file_with_costs({costs_of(300, 30), costs_of(100, 10), costs_of(200, 20)}),
                 file_with_costs({costs_of(250, 25)}), file_with_costs({costs_of(50, 5)}, 2)});
  EXPECT_EQ(report.damaged_blocks, 0U);
  const auto& segments = report.call_costs.segments();
  ASSERT_EQ(segments.size(), 2U);
  EXPECT_EQ(segments.begin()->second.newest.counts.calls(), 30U);
  EXPECT_EQ(segments.begin()->second.service, "orders");
  EXPECT_EQ(segments.begin()->second.pid, 101U);
  EXPECT_EQ(segments.begin()->second.tick_hz, 1'000'000'000U);
  EXPECT_EQ(segments.rbegin()->second.newest.counts.calls(), 5U);
}

TEST(CallCostsInATrace, OfAnUnknownSegmentAreLeftOut) {
  EXPECT_TRUE(report_of({file_with_costs({costs_of(300, 30)}, 0)}).call_costs.segments().empty());
}

TEST(CallCostsInATrace, ThatAreInvalidAreReported) {
  CallCostsBlock costs = costs_of(300, 30);
  costs.one_in = 0;
  const ReadReport report = report_of({file_with_costs({costs, costs_of(200, 20)})});
  EXPECT_EQ(report.damaged_blocks, 1U);
  ASSERT_EQ(report.notes.size(), 1U);
  EXPECT_NE(report.notes[0].text().find("a CALL_COSTS block is invalid"), std::string::npos);
  EXPECT_EQ(report.call_costs.segments().begin()->second.newest.counts.calls(), 20U);
}

TEST(CallCostsInATrace, OfAnyBytesDoNoHarm) {
  std::mt19937_64 random(4);
  for (int round = 0; round < 300; ++round) {
    TraceFileBuilder file;
    file.begin();
    for (int block = 0; block < 5; ++block) {
      std::string payload(random() % 200, '\0');
      for (char& byte : payload) byte = static_cast<char>(random());
      // Counts and buckets that are plausible now and then.
      if (payload.size() > 32 && random() % 2 == 0) {
        std::memset(payload.data() + 28, 0, 4);
        payload[28] = static_cast<char>(random() % 4);
        for (std::size_t at = 32; at + 4 <= payload.size(); at += 16) {
          std::memset(payload.data() + at, 0, 4);
          payload[at] = static_cast<char>(at / 2 + random() % 10);
        }
      }
      file.block(static_cast<std::uint8_t>(BlockType::kCallCosts), payload);
    }
    file.extent(1, {10, 20});
    file.end();
    const ReadReport report = report_of({file.bytes});
    EXPECT_EQ(report.records, 2U);
    for (const auto& [uuid, calls] : report.call_costs.segments()) {
      EXPECT_GE(calls.newest.counts.quantile_ticks(990), calls.newest.counts.quantile_ticks(500));
    }
  }
}

}  // namespace
}  // namespace ringside::trace::testing
