#include "consumerd/files/index_collector.hpp"

#include <cstring>

#include <gtest/gtest.h>

#include "trace-format/blocks/block_frame.hpp"
#include "trace-format/blocks/block_writer.hpp"
#include "trace-format/blocks/little_endian.hpp"

namespace ringside::consumer_test {
namespace {

using consumer::IndexCollector;
using Bytes = std::vector<std::byte>;

Bytes header() {
  Bytes out(512);
  out.resize(trace::write_header_block({}, out));
  return out;
}

Bytes clock() {
  Bytes out(128);
  out.resize(trace::write_clock_block({}, out));
  return out;
}

Bytes point(std::uint64_t watermark_tsc) {
  Bytes out(128);
  out.resize(trace::write_sequence_point_block(watermark_tsc, {}, out));
  return out;
}

Bytes extent(std::uint64_t smallest, std::uint64_t largest, std::uint32_t flags = 0,
             std::size_t records_bytes = 0) {
  Bytes out(trace::kBlockHeaderBytes + trace::kExtentHeaderBytes + records_bytes);
  std::byte* const payload = out.data() + trace::kBlockHeaderBytes;
  trace::store(payload + 24, smallest);
  trace::store(payload + 32, largest);
  trace::store(payload + 44, flags);
  trace::write_block_frame(out.data(), trace::BlockType::kExtent,
                           out.size() - trace::kBlockHeaderBytes);
  return out;
}

std::vector<std::uint64_t> words_of(const Bytes& index) {
  std::vector<std::uint64_t> words((index.size() - trace::kBlockHeaderBytes) / 8);
  std::memcpy(words.data(), index.data() + trace::kBlockHeaderBytes, words.size() * 8);
  return words;
}

constexpr std::size_t kExtentBytes = trace::kBlockHeaderBytes + trace::kExtentHeaderBytes;

TEST(IndexCollector, GivesThePlacesOfTheSectionsBlocks) {
  IndexCollector collector;
  const std::uint64_t front = header().size();
  collector.add(header());
  Bytes two = clock();
  const Bytes late = extent(40, 900, trace::kExtentLate);
  two.insert(two.end(), late.begin(), late.end());
  collector.add(two);
  collector.add(extent(50, 800));
  const std::uint64_t all = front + clock().size() + 2 * kExtentBytes;
  EXPECT_EQ(collector.section_bytes(), all);
  EXPECT_EQ(words_of(collector.block()),
            (std::vector<std::uint64_t>{all, 40, 900, 1 | std::uint64_t{1} << 32, 0, front, 40,
                                        front + clock().size()}));
}

TEST(IndexCollector, StartsAgainWithEachHeader) {
  IndexCollector collector;
  collector.add(header());
  collector.add(extent(1, 2, trace::kExtentLate));
  collector.add(header());
  EXPECT_EQ(collector.section_bytes(), header().size());
  EXPECT_EQ(words_of(collector.block()),
            (std::vector<std::uint64_t>{header().size(), UINT64_MAX, 0, 0, 0}));
}

TEST(IndexCollector, KeepsPointsThatAreFarEnoughApart) {
  IndexCollector collector;
  collector.add(header());
  std::vector<std::uint64_t> expected;
  std::uint64_t last = 0;
  for (std::uint64_t i = 1; i <= 40; ++i) {
    collector.add(extent(i, 10 * i, 0, 100'000));
    if (collector.section_bytes() - last >= IndexCollector::kPointGapBytes) {
      last = collector.section_bytes();
      expected.insert(expected.end(), {last, 10 * i - 1, 10 * i});
    }
    collector.add(point(10 * i - 1));
  }
  EXPECT_EQ(expected.size(), 9U);
  const std::vector<std::uint64_t> words = words_of(collector.block());
  EXPECT_EQ(std::vector<std::uint64_t>(words.begin() + 5, words.end()), expected);
}

TEST(IndexCollector, ThinsPointsOutInsteadOfGrowing) {
  IndexCollector collector;
  collector.add(header());
  const Bytes large = extent(1, 2, 0, IndexCollector::kPointGapBytes);
  const Bytes watermark = point(1);
  for (std::size_t i = 0; i < 2 * IndexCollector::kMaxPoints + 10; ++i) {
    collector.add(large);
    collector.add(watermark);
  }
  const std::vector<std::uint64_t> words = words_of(collector.block());
  const std::uint64_t count = words[4];
  EXPECT_LE(count, IndexCollector::kMaxPoints);
  EXPECT_GE(count, IndexCollector::kMaxPoints / 2);
  for (std::uint64_t i = 1; i < count; ++i) {
    ASSERT_GE(words[5 + 3 * i] - words[5 + 3 * (i - 1)], IndexCollector::kPointGapBytes);
  }
}

TEST(IndexCollector, LeavesTheIndexOutRatherThanPartOfIt) {
  for (const Bytes& block : {clock(), extent(1, 2, trace::kExtentLate)}) {
    IndexCollector collector;
    collector.add(header());
    for (std::size_t i = 0; i < 65536; ++i) collector.add(block);
    EXPECT_GT(collector.block().size(), 65536U * 8);
    EXPECT_LE(collector.block().size(), IndexCollector::kMaxIndexBytes);
    collector.add(block);
    EXPECT_TRUE(collector.block().empty());
    collector.add(header());
    EXPECT_FALSE(collector.block().empty()) << "the next section has one again";
  }
}

}  // namespace
}  // namespace ringside::consumer_test
