// Files packed as columns restore every byte; damage stays within a frame; no bytes do harm.
#include <random>
#include <zstd.h>

#include <gtest/gtest.h>

#include "random_records.hpp"
#include "trace-format/blocks/frame_table.hpp"
#include "trace-format/packing/column_frame_reader.hpp"
#include "trace-format/packing/column_layout.hpp"
#include "trace-format/packing/packed_file.hpp"
#include "trace-format/packing/packed_file_writer.hpp"
#include "trace_file_builder.hpp"

namespace ringside::trace::testing {
namespace {

// Records of all types, with extensions, drops, moves to other processors and times that go back.
class RandomFile {
 public:
  RandomFile(std::uint64_t seed, std::uint64_t records) : random_(seed) {
    SectionHeader header;
    header.uuid[0] = 1;
    header.service = "random";
    put([&](auto out) { return write_header_block(header, out); });
    put([](auto out) { return write_clock_block({0, 0, std::uint64_t{1} << 40, 0, 0}, out); });
    std::vector<TestSite> sites;
    for (std::uint32_t id = 1; id <= 25; ++id) {
      sites.push_back(random_.site(7 * id));
      const Bytes entry = site_entry(sites.back());
      EXPECT_TRUE(table_.add(entry, nullptr));
      put([&](auto out) { return write_dictionary_block(entry, out); });
    }
    constexpr std::uint64_t kStart = std::uint64_t{3} << 43;
    for (std::uint64_t stream = 1; stream <= 3; ++stream) {
      std::string ring = clock_record(kStart);
      std::vector<Decoded> expected;
      std::uint64_t ticks = kStart;
      for (std::uint64_t i = 0; i < records; ++i) {
        ticks += random_.below(1 + random_.below(30'000));
        if (random_.below(40) == 0) ticks -= std::min(random_.below(3'000), ticks - kStart);
        if (random_.below(50) == 0) {
          ring += clock_record(ticks, 0, static_cast<std::uint32_t>(random_.below(6)));
        }
        if (random_.below(50) == 0) {
          ring += drop_record(ticks, 1 + random_.below(9), shm::LossCause::kNoConsumer);
        }
        random_.record(sites[random_.below(sites.size())], ticks, ring, expected);
      }
      encode(stream, kStart, ring);
    }
    put([](auto out) { return write_end_block({}, out); });
  }

  Bytes bytes;

 private:
  template <class Write>
  void put(Write&& write) {
    const auto written = static_cast<std::ptrdiff_t>(write(std::span<std::byte>(room_)));
    bytes.insert(bytes.end(), room_.begin(), room_.begin() + written);
  }
  void encode(std::uint64_t stream, std::uint64_t start, const std::string& ring) {
    StreamCursor cursor{.stream_id = stream, .last_tsc = start};
    for (std::size_t taken = 0; taken < ring.size();) {
      put([&](auto out) {
        const auto done = encoder_.encode(as_bytes(ring).subspan(taken), cursor, 0, 0, out);
        EXPECT_NE(done.stop, EncodeStop::kCorrupt);
        taken += done.consumed_bytes;
        return done.output_bytes;
      });
    }
  }

  Bytes room_ = Bytes(4 << 20);
  RandomRecords random_;
  SiteTable table_;
  ExtentEncoder encoder_{table_};
};

struct PackedTrace {
  Bytes bytes;
  std::uint64_t column_extents = 0;
};

PackedTrace pack_with(const Bytes& content, std::size_t piece = std::size_t{1} << 30,
                      PackedForm form = PackedForm::kColumns) {
  PackedTrace packed;
  const auto writer = PackedFileWriter::create(
      [&packed](std::span<const std::byte> bytes) {
        packed.bytes.insert(packed.bytes.end(), bytes.begin(), bytes.end());
        return true;
      },
      PackedFileWriter::kDefaultLevel, form);
  for (std::size_t at = 0; at < content.size(); at += piece) {
    const auto rest = std::span<const std::byte>(content).subspan(at);
    EXPECT_TRUE(writer->append(rest.first(std::min(piece, rest.size()))));
  }
  EXPECT_TRUE(writer->finish());
  EXPECT_EQ(writer->content_bytes(), content.size());
  EXPECT_EQ(writer->packed_bytes(), packed.bytes.size());
  packed.column_extents = writer->column_extents();
  return packed;
}

Bytes restore_all(const Bytes& packed) {
  const auto file = PackedFile::open(TraceFile::in_memory("packed", packed), nullptr);
  if (file == nullptr) return {};
  Bytes content(static_cast<std::size_t>(file->size()));
  EXPECT_EQ(file->read(0, content), content.size());
  return content;
}

std::uint64_t count_extents(std::span<const std::byte> bytes) {
  std::uint64_t extents = 0;
  BlockFrame frame;
  while (parse_block_frame(bytes, frame)) {
    if (frame.type == BlockType::kExtent) ++extents;
    bytes = bytes.subspan(frame.block_bytes());
  }
  return extents;
}

std::vector<PackedFrame> frames_of(const Bytes& packed) {
  const auto file = TraceFile::in_memory("packed", packed);
  std::string why;
  return find_frames(*file, &why);
}

Bytes frame_content(const Bytes& packed, const PackedFrame& frame) {
  Bytes content(frame.content_bytes);
  const std::size_t got = ZSTD_decompress(content.data(), content.size(),
                                          packed.data() + frame.packed_offset, frame.packed_bytes);
  EXPECT_EQ(got, content.size());
  return content;
}

TEST(PackedColumns, RestoreRecordsOfAllTypes) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const Bytes plain = RandomFile(seed, 20 * seed * seed).bytes;
    const PackedTrace packed = pack_with(plain);
    ASSERT_EQ(restore_all(packed.bytes), plain) << seed;
    // Also that it is columns that restore them.
    ASSERT_EQ(packed.column_extents, count_extents(plain)) << seed;
  }
}

TEST(PackedColumns, AreTheSameForPiecesOfAnySize) {
  const Bytes plain = RandomFile(3, 5'000).bytes;
  ASSERT_GT(plain.size(), kUsualFrameContent);
  const Bytes packed = pack_with(plain).bytes;
  for (const std::size_t piece : {std::size_t{7'777}, std::size_t{1} << 20}) {
    EXPECT_EQ(pack_with(plain, piece).bytes, packed) << piece;
  }
}

TEST(PackedColumns, AreSmallerThanBytes) {
  TraceFileBuilder file;
  file.begin();
  std::mt19937_64 random(5);
  std::uint64_t time = 0;
  for (int i = 0; i < 50; ++i) {
    std::vector<std::uint64_t> times;
    for (int n = 0; n < 1'000; ++n) times.push_back(time += 20 + random() % 300);
    file.extent(1, times);
  }
  file.end();
  const Bytes columns = pack_with(file.bytes).bytes;
  EXPECT_EQ(restore_all(columns), file.bytes);
  EXPECT_LT(columns.size() * 10,
            pack_with(file.bytes, file.bytes.size(), PackedForm::kBytes).bytes.size() * 9);
}

TEST(PackedColumns, RestoreBytesThatAreNotBlocks) {
  std::mt19937_64 random(6);
  Bytes plain = RandomFile(4, 300).bytes;
  const Bytes section = plain;
  plain[plain.size() / 2] ^= std::byte{1};         // a wrong checksum
  plain.insert(plain.end(), 5'000, std::byte{0});  // allocated ahead
  for (int i = 0; i < 3'000; ++i) plain.push_back(static_cast<std::byte>(random()));
  plain.insert(plain.end(), section.begin(), section.end());      // another section
  plain.insert(plain.end(), section.begin(), section.end() - 9);  // a block that is cut off
  EXPECT_EQ(restore_all(pack_with(plain).bytes), plain);
  EXPECT_EQ(restore_all(pack_with(plain, 1'000).bytes), plain);

  // A block that is larger than a frame.
  Bytes large(kBlockHeaderBytes + 3 * kUsualFrameContent, std::byte{7});
  write_block_frame(large.data(), static_cast<BlockType>(99), large.size() - kBlockHeaderBytes);
  plain.insert(plain.begin() + static_cast<std::ptrdiff_t>(section.size()), large.begin(),
               large.end());
  EXPECT_EQ(restore_all(pack_with(plain).bytes), plain);
}

TEST(PackedColumns, StopReadersThatKnowNoColumns) {
  const Bytes packed = pack_with(RandomFile(5, 200).bytes).bytes;
  // What such a reader sees: the contents of the frames, as `zstd -d` writes them.
  Bytes content;
  for (const PackedFrame& frame : frames_of(packed)) {
    const Bytes part = frame_content(packed, frame);
    content.insert(content.end(), part.begin(), part.end());
  }
  BlockFrame header;
  ASSERT_TRUE(parse_block_frame(content, header));
  EXPECT_EQ(header.type, BlockType::kHeader);
  SectionHeader fields;
  ASSERT_TRUE(SectionHeader::parse(
      std::span<const std::byte>(content).subspan(kBlockHeaderBytes, header.payload_bytes),
      fields));
  EXPECT_EQ(fields.reader_major, 1);
  EXPECT_EQ(fields.reader_minor, 4);
  BlockFrame columns;
  ASSERT_TRUE(parse_block_frame(std::span<const std::byte>(content).subspan(header.block_bytes()),
                                columns));
  EXPECT_EQ(columns.flags, kBlockCritical);
  const ReadResult r = read_bytes(content);
  EXPECT_TRUE(r.events.empty());
  EXPECT_FALSE(r.report.notes.empty());
}

TEST(PackedColumns, LoseOnlyTheDamagedFrame) {
  const Bytes plain = RandomFile(7, 34'000).bytes;
  Bytes packed = pack_with(plain).bytes;
  const std::vector<PackedFrame> frames = frames_of(packed);
  ASSERT_GE(frames.size(), 4U);
  packed[frames[2].packed_offset + frames[2].packed_bytes / 2] ^= std::byte{4};
  const auto file = PackedFile::open(TraceFile::in_memory("packed", packed), nullptr);
  ReadReport report;
  file->report_to(&report);
  Bytes content(static_cast<std::size_t>(file->size()));
  ASSERT_EQ(file->read(0, content), plain.size());
  EXPECT_EQ(report.damaged_frames, 1U);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    if (content[i] == plain[i]) continue;
    ASSERT_EQ(content[i], std::byte{0});
    ++wrong;
  }
  EXPECT_LE(wrong, kUsualFrameContent);
}

TEST(PackedColumns, AreReadWithoutTheirTables) {
  const Bytes plain = RandomFile(8, 5'000).bytes;
  Bytes packed = pack_with(plain).bytes;
  const std::vector<PackedFrame> frames = frames_of(packed);
  packed.resize(frames.back().packed_offset + frames.back().packed_bytes);
  EXPECT_EQ(restore_all(packed), plain);
}

// Past the checksum of zstd: the columns themselves are not trusted.
TEST(PackedColumns, AnyBytesAreRestoredOrRejected) {
  std::mt19937_64 random(9);
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const Bytes packed = pack_with(RandomFile(seed, 60).bytes).bytes;
    const Bytes good = frame_content(packed, frames_of(packed)[1]);
    const std::size_t size = *restored_bytes(good);
    Bytes room(size);
    ASSERT_TRUE(restore_columns(good, room));
    for (int i = 0; i < 400; ++i) {
      Bytes bad = good;
      for (std::uint64_t n = 1 + random() % 4; n > 0; --n) {
        const std::size_t most = i % 2 == 0 ? bad.size() : std::min<std::size_t>(bad.size(), 600);
        bad[kColumnHeadBytes + random() % (most - kColumnHeadBytes)] =
            static_cast<std::byte>(random());
      }
      if (i % 5 == 0) bad.resize(kColumnHeadBytes + random() % (bad.size() - kColumnHeadBytes));
      (void)restore_columns(bad, room);
    }
    Bytes longer = good;
    longer.push_back(std::byte{0});
    EXPECT_FALSE(restore_columns(longer, room)) << "trailing bytes";
    for (std::size_t bytes = 0; bytes < good.size(); bytes += 1 + good.size() / 200) {
      EXPECT_FALSE(restore_columns(std::span(good).first(bytes), room)) << bytes;
    }
  }
}

}  // namespace
}  // namespace ringside::trace::testing
