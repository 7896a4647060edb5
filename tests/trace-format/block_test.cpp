#include <limits>

#include <gtest/gtest.h>

#include "ring_bytes.hpp"
#include "trace-format/blocks/block_frame.hpp"
#include "trace-format/blocks/block_writer.hpp"
#include "trace-format/blocks/index_block.hpp"

namespace ringside::trace::testing {
namespace {

std::span<const std::byte> payload_of(const Bytes& block, std::size_t bytes, BlockType type) {
  BlockFrame frame;
  const auto whole = std::span<const std::byte>(block).first(bytes);
  EXPECT_TRUE(parse_block_frame(whole, frame));
  EXPECT_EQ(frame.type, type);
  EXPECT_EQ(frame.version, 1);
  EXPECT_EQ(frame.block_bytes(), bytes);
  EXPECT_TRUE(check_block(whole, whole.subspan(kBlockHeaderBytes)));
  return whole.subspan(kBlockHeaderBytes);
}

TEST(BlockFrame, IsLaidOutAsSpecified) {
  Bytes block(kBlockHeaderBytes + 3);
  block[16] = block[17] = block[18] = std::byte{'x'};
  write_block_frame(block.data(), BlockType::kIndex, 3, kBlockCritical);
  EXPECT_EQ(std::memcmp(block.data(), "RSBK\x08\x01\x01\x00\x03\x00\x00\x00", 12), 0);
}

TEST(BlockFrame, RejectsEveryFlippedBit) {
  Bytes block(kBlockHeaderBytes + 5, std::byte{7});
  write_block_frame(block.data(), BlockType::kClock, 5);
  for (std::size_t bit = 0; bit < 8 * block.size(); ++bit) {
    Bytes bad = block;
    bad[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
    BlockFrame frame;
    const bool sound = parse_block_frame(bad, frame) && frame.block_bytes() == bad.size() &&
                       check_block(bad, std::span(bad).subspan(kBlockHeaderBytes));
    EXPECT_FALSE(sound) << "bit " << bit;
  }
}

TEST(BlockFrame, RefusesShortHeadersAndHugeLengths) {
  Bytes block(kBlockHeaderBytes);
  write_block_frame(block.data(), BlockType::kEnd, 0);
  BlockFrame frame;
  EXPECT_TRUE(parse_block_frame(block, frame));
  EXPECT_FALSE(parse_block_frame(std::span(block).first(15), frame));
  const auto huge = static_cast<std::uint32_t>(kMaxPayloadBytes) + 1;
  std::memcpy(block.data() + 8, &huge, 4);
  EXPECT_FALSE(parse_block_frame(block, frame));
}

SectionHeader example_header() {
  SectionHeader h;
  h.uuid[0] = 1;
  h.uuid[15] = 15;
  h.pid = 2;
  h.uid = 3;
  h.tick_hz = 4;
  h.start_tsc = 5;
  h.start_monotonic_ns = 6;
  h.start_realtime_ns = 7;
  h.boot_id[3] = 8;
  h.clock_source = ClockSource::kMonotonicNs;
  h.file_sequence = 9;
  h.writer_version = 10;
  h.service = "service";
  h.executable = "/bin/executable";
  h.host = "";
  return h;
}

TEST(BlockWriter, WritesHeadersThatParseBack) {
  Bytes out(4096);
  const std::size_t bytes = write_header_block(example_header(), out);
  SectionHeader h;
  const auto payload = payload_of(out, bytes, BlockType::kHeader);
  ASSERT_TRUE(SectionHeader::parse(payload, h));
  EXPECT_EQ(h.format_major, 1);
  EXPECT_EQ(h.reader_major, 1);
  EXPECT_EQ(h.uuid, example_header().uuid);
  EXPECT_EQ(h.pid, 2U);
  EXPECT_EQ(h.uid, 3U);
  EXPECT_EQ(h.tick_hz, 4U);
  EXPECT_EQ(h.start_tsc, 5U);
  EXPECT_EQ(h.start_monotonic_ns, 6U);
  EXPECT_EQ(h.start_realtime_ns, 7U);
  EXPECT_EQ(h.boot_id, example_header().boot_id);
  EXPECT_EQ(h.clock_source, ClockSource::kMonotonicNs);
  EXPECT_EQ(h.file_sequence, 9U);
  EXPECT_EQ(h.writer_version, 10U);
  EXPECT_EQ(h.service, "service");
  EXPECT_EQ(h.executable, "/bin/executable");
  EXPECT_EQ(h.host, "");
  for (std::size_t cut = 0; cut < payload.size(); ++cut) {
    EXPECT_FALSE(SectionHeader::parse(payload.first(cut), h)) << cut;
  }
}

TEST(BlockWriter, CutsTextsThatTheFormatCannotHold) {
  SectionHeader header;
  const std::string long_text(70000, 'x');
  header.service = long_text;
  Bytes out(100000);
  const std::size_t bytes = write_header_block(header, out);
  SectionHeader h;
  ASSERT_TRUE(SectionHeader::parse(payload_of(out, bytes, BlockType::kHeader), h));
  EXPECT_EQ(h.service.size(), 65535U);
}

TEST(BlockWriter, WritesTheOtherBlocksSoThatTheyParseBack) {
  Bytes out(4096);
  std::size_t bytes = write_clock_block({1, 2, 3, 4, 5}, out);
  ClockPoint point;
  ASSERT_TRUE(ClockPoint::parse(payload_of(out, bytes, BlockType::kClock), point));
  EXPECT_EQ(point.tsc0, 1U);
  EXPECT_EQ(point.unix_ns0, 2U);
  EXPECT_EQ(point.ns_per_tick, 3U);
  EXPECT_EQ(point.monotonic_ns, 4U);
  EXPECT_EQ(point.realtime_ns, 5U);

  bytes = write_stream_block({1, 2, 3, 4, "worker"}, out);
  StreamBlock stream;
  ASSERT_TRUE(StreamBlock::parse(payload_of(out, bytes, BlockType::kStream), stream));
  EXPECT_EQ(stream.stream_id, 1U);
  EXPECT_EQ(stream.start_tsc, 2U);
  EXPECT_EQ(stream.thread_id, 3U);
  EXPECT_EQ(stream.ring_index, 4U);
  EXPECT_EQ(stream.thread_name, "worker");

  const StreamPosition positions[] = {{1, 10}, {2, 20}};
  bytes = write_sequence_point_block(99, positions, out);
  std::uint64_t watermark = 0;
  const auto point_payload = payload_of(out, bytes, BlockType::kSequencePoint);
  ASSERT_TRUE(parse_watermark(point_payload, watermark));
  EXPECT_EQ(watermark, 99U);
  EXPECT_EQ(point_payload.size(), 48U);

  bytes = write_end_block({7, 8, EndReason::kRotation, 99}, out);
  EndBlock end;
  const auto end_payload = payload_of(out, bytes, BlockType::kEnd);
  ASSERT_TRUE(EndBlock::parse(end_payload, end));
  EXPECT_EQ(end.records, 7U);
  EXPECT_EQ(end.dropped, 8U);
  EXPECT_EQ(end.reason, EndReason::kRotation);
  EXPECT_EQ(end.index_bytes, 99U);
  ASSERT_TRUE(EndBlock::parse(end_payload.first(24), end)) << "as format 1.0 had it";
  EXPECT_EQ(end.index_bytes, 0U);
  EXPECT_FALSE(EndBlock::parse(end_payload.first(23), end));
}

TEST(BlockWriter, LaysAnIndexOutAsSpecified) {
  const std::uint64_t metadata[] = {10, 20};
  const IndexedExtent late[] = {{100, 300}};
  const IndexedPoint points[] = {{400, 150, 160}, {500, 250, 260}};
  const IndexTables tables{90, 260, metadata, late, points};
  Bytes out(4096);
  const std::size_t bytes = write_index_block(600, tables, out);
  EXPECT_EQ(bytes, index_block_bytes(tables));
  const auto payload = payload_of(out, bytes, BlockType::kIndex);
  const std::uint64_t expected[] = {
      600, 90, 260, 2 | std::uint64_t{1} << 32, 2, 10, 20, 100, 300, 400, 150, 160, 500, 250, 260};
  ASSERT_EQ(payload.size(), sizeof expected);
  EXPECT_EQ(std::memcmp(payload.data(), expected, sizeof expected), 0);
}

TEST(BlockWriter, WritesNothingPastTheEndAndReturnsZeroWithoutSpace) {
  const StreamPosition positions[] = {{1, 10}};
  const Bytes entry = site_entry({.id = 1});
  const auto try_all = [&](std::span<std::byte> out) {
    return std::array{write_header_block(example_header(), out),
                      write_dictionary_block(entry, out),
                      write_clock_block({}, out),
                      write_stream_block({1, 2, 3, 4, "w"}, out),
                      write_sequence_point_block(1, positions, out),
                      write_end_block({}, out),
                      write_index_block(1, {}, out)};
  };
  Bytes plenty(4096);
  const auto needed = try_all(plenty);
  for (std::size_t room = 0; room < 300; ++room) {
    Bytes out(room);  // a sanitizer checks its end
    const auto got = try_all(out);
    for (std::size_t i = 0; i < got.size(); ++i) {
      EXPECT_EQ(got[i], room < needed[i] ? 0 : needed[i]) << room << " " << i;
    }
  }
}

}  // namespace
}  // namespace ringside::trace::testing
