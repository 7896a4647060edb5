// Each loss of LOSSES blocks is reported once, however often and by whichever consumer it was
// written, and no block does harm.
#include "trace-format/blocks/losses_block.hpp"

#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "trace-format/reader/counted_losses.hpp"
#include "trace_file_builder.hpp"

namespace ringside::trace::testing {
namespace {

using shm::LossCause;
constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

Bytes losses_bytes(const LossesBlock& losses) {
  Bytes bytes(losses_block_bytes(losses));
  EXPECT_EQ(write_losses_block(losses, bytes), bytes.size());
  return bytes;
}

std::span<const std::byte> payload_of(const Bytes& block) {
  return std::span(block).subspan(kBlockHeaderBytes);
}

struct GivenLosses {
  std::vector<Event> by_stream;
  std::vector<Event> by_site;
  ReadReport report;
};

GivenLosses given(const std::vector<Bytes>& files, bool site_losses = true) {
  const TemporaryDirectory directory;
  std::vector<std::string> paths;
  for (const Bytes& file : files) {
    paths.push_back(directory.write("file-" + std::to_string(paths.size()) + ".ringtrace", file));
  }
  ReadOptions options;
  options.site_losses = site_losses;
  ReadError error;
  auto set = TraceSet::open(paths, options, &error);
  EXPECT_TRUE(set);
  GivenLosses all;
  Event event;
  while (set->next(event)) {
    if (event.kind == EventKind::kLoss) all.by_stream.push_back(event);
    if (event.kind == EventKind::kSiteLoss) all.by_site.push_back(event);
  }
  all.report = set->report();
  return all;
}

Bytes file_with(const std::vector<LossesBlock>& blocks) {
  TraceFileBuilder file;
  file.begin();
  for (const LossesBlock& block : blocks) append(file.bytes, losses_bytes(block));
  file.end();
  return file.bytes;
}

TEST(LossesBlock, GivesBackWhatWasWritten) {
  const Bytes block =
      losses_bytes({100,
                    200,
                    {{0, LossCause::kNoRing, 5, 9}},
                    {{7, LossCause::kTooLarge, 0, 1}, {8, LossCause::kNoRing, 2, 6}}});
  LossesBlock read;
  ASSERT_TRUE(LossesBlock::parse(payload_of(block), read));
  EXPECT_EQ(read.since_tsc, 100U);
  EXPECT_EQ(read.until_tsc, 200U);
  ASSERT_EQ(read.without_stream.size(), 1U);
  EXPECT_EQ(read.without_stream[0].cause, LossCause::kNoRing);
  EXPECT_EQ(read.without_stream[0].before, 5U);
  EXPECT_EQ(read.without_stream[0].after, 9U);
  ASSERT_EQ(read.by_site.size(), 2U);
  EXPECT_EQ(read.by_site[1].site_id, 8U);
}

TEST(LossesBlock, IsRefusedIfItIsShorterThanItStates) {
  const Bytes block =
      losses_bytes({1, 2, {{0, LossCause::kNoRing, 0, 1}}, {{1, LossCause::kNoRing, 0, 1}}});
  LossesBlock read;
  for (std::size_t bytes = 0; bytes < payload_of(block).size(); ++bytes) {
    EXPECT_FALSE(LossesBlock::parse(payload_of(block).first(bytes), read)) << bytes;
  }
  Bytes many(payload_of(block).begin(), payload_of(block).end());
  std::memset(many.data() + 16, 0xff, 8);
  EXPECT_FALSE(LossesBlock::parse(many, read)) << "counts whose sum and product overflow";
}

TEST(LossesBlock, OmitsCountersThatFall) {
  const Bytes block = losses_bytes({1, 2, {{0, LossCause::kNoRing, 9, 9}}, {{1, {}, 9, 3}}});
  LossesBlock read;
  ASSERT_TRUE(LossesBlock::parse(payload_of(block), read));
  EXPECT_TRUE(read.without_stream.empty());
  EXPECT_TRUE(read.by_site.empty());
}

TEST(CountedLosses, CountsEachNumberOfACounterOnceInAnyOrder) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 200; ++round) {
    CountedLosses counted;
    std::vector<bool> told(64);
    for (int i = 0; i < 20; ++i) {
      const std::uint64_t before = random() % 60;
      const std::uint64_t after = before + 1 + random() % 4;
      std::uint64_t fresh = 0;
      for (std::uint64_t n = before; n < after; ++n) {
        if (!told[n]) ++fresh;
        told[n] = true;
      }
      ASSERT_EQ(counted.add({3, LossCause::kNoRing, before, after}, true), fresh);
    }
  }
}

TEST(CountedLosses, KeepsCountersApart) {
  CountedLosses counted;
  EXPECT_EQ(counted.add({0, LossCause::kNoRing, 0, 5}, false), 5U);
  EXPECT_EQ(counted.add({0, LossCause::kNoRing, 0, 5}, true), 5U);
  EXPECT_EQ(counted.add({1, LossCause::kNoRing, 0, 5}, true), 5U);
  EXPECT_EQ(counted.add({1, LossCause::kNoConsumer, 0, 5}, true), 5U);
  EXPECT_EQ(counted.add({1, LossCause::kNoConsumer, 0, kMost}, true), kMost - 5);
}

TEST(LossesInATrace, ComeAtTheEndOfTheirIntervalWithoutAThread) {
  const GivenLosses all = given(
      {file_with({{100, 200, {{0, LossCause::kNoRing, 0, 3}}, {{1, LossCause::kNoRing, 0, 3}}}})});
  ASSERT_EQ(all.by_stream.size(), 1U);
  EXPECT_EQ(all.by_stream[0].lost, 3U);
  EXPECT_EQ(all.by_stream[0].cause, LossCause::kNoRing);
  EXPECT_EQ(all.by_stream[0].since_ns, 100U);
  EXPECT_EQ(all.by_stream[0].unix_ns, 200U);
  EXPECT_EQ(all.by_stream[0].record.stream_id, 0U);
  ASSERT_EQ(all.by_site.size(), 1U);
  EXPECT_EQ(all.by_site[0].lost, 3U);
  EXPECT_EQ(all.report.dropped_records, 3U) << "two views of the same records";
}

TEST(LossesInATrace, ByStatementAreGivenOnlyOnRequest) {
  EXPECT_TRUE(
      given({file_with({{1, 2, {}, {{1, LossCause::kNoRing, 0, 3}}}})}, false).by_site.empty());
}

TEST(LossesInATrace, RepeatedByASuccessorCountOnce) {
  // One consumer reports 3 losses and then 2 more; the next one reports 9 since the service
  // started.
  const Bytes first = file_with({{0, 10, {{0, LossCause::kNoRing, 0, 3}}, {}},
                                 {10, 20, {{0, LossCause::kNoRing, 3, 5}}, {}}});
  const Bytes second = file_with({{0, 30, {{0, LossCause::kNoRing, 0, 9}}, {}}});
  for (const auto& files : {std::vector{first, second}, std::vector{second, first}}) {
    std::uint64_t lost = 0;
    for (const Event& loss : given(files).by_stream) lost += loss.lost;
    EXPECT_EQ(lost, 9U);
  }
}

TEST(LossesInATrace, OfUnknownCausesAndStatementsAreGivenAsSuch) {
  const GivenLosses all = given({file_with(
      {{1, 2, {{0, static_cast<LossCause>(77), 0, 4}}, {{12345, LossCause::kNoRing, 0, 4}}}})});
  ASSERT_EQ(all.by_stream.size(), 1U);
  EXPECT_EQ(all.by_stream[0].cause, LossCause::kUnknown);
  ASSERT_EQ(all.by_site.size(), 1U);
  EXPECT_EQ(all.by_site[0].record.site, nullptr);
}

TEST(LossesInATrace, OfAnyBytesDoNoHarm) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 300; ++round) {
    TraceFileBuilder file;
    file.begin();
    for (int block = 0; block < 5; ++block) {
      std::string payload(random() % 200, '\0');
      for (char& byte : payload) byte = static_cast<char>(random());
      // Counts that are plausible now and then.
      if (payload.size() > 24 && random() % 2 == 0) {
        std::memset(payload.data() + 16, 0, 8);
        payload[16] = static_cast<char>(random() % 4);
        payload[20] = static_cast<char>(random() % 4);
      }
      file.block(static_cast<std::uint8_t>(BlockType::kLosses), payload);
    }
    file.extent(1, {10, 20});
    file.end();
    EXPECT_EQ(given({file.bytes}).report.records, 2U);
  }
}

}  // namespace
}  // namespace ringside::trace::testing
