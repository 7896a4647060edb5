// What a reader does not request is not decoded; what it requests is complete, whichever thread
// decodes it.
#include "trace-format/reader/read_options.hpp"

#include <map>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "section_index_bytes.hpp"

namespace ringside::trace::testing {
namespace {

Bytes extent_of_site(std::uint32_t site, std::uint64_t stream, std::uint64_t tsc) {
  SiteTable sites;
  add_site(sites, {.id = site});
  ExtentEncoder encoder(sites);
  StreamCursor cursor{.stream_id = stream};
  Bytes out(4096);
  out.resize(encoder.encode(as_bytes(plain_record(site, tsc)), cursor, 0, 0, out).output_bytes);
  return out;
}

Bytes dictionary_of(std::uint32_t site, const std::string& format) {
  Bytes block(4096);
  block.resize(write_dictionary_block(site_entry({.id = site, .format = format}), block));
  return block;
}

Bytes random_section(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  TraceFileBuilder file;
  file.begin();
  std::vector<std::uint64_t> now(6, 1000);
  for (int i = 0; i < 400; ++i) {
    const std::uint64_t s = random() % now.size();
    std::vector<std::uint64_t> times;
    for (std::uint64_t n = 1 + random() % 40; n > 0; --n) {
      now[s] += random() % 40;
      times.push_back(now[s] - (random() % 50 == 0 ? random() % 100 : 0));
    }
    file.extent(s, times);
    if (random() % 20 == 0) file.lose(s, 1 + random() % 5);
    if (random() % 6 == 0) {
      std::vector<std::uint64_t> sorted = now;
      std::sort(sorted.begin(), sorted.end());
      file.sequence_point(std::max(file.watermark, sorted[random() % 3]));
    }
  }
  file.end();
  return file.bytes;
}

TEST(ReadOptions, DecodesOnlyExtentsWithAWantedSite) {
  TraceFileBuilder file;
  file.begin();
  append(file.bytes, dictionary_of(50, "rare"));
  for (std::uint64_t i = 0; i < 100; ++i) file.extent(1, {10 * i, 10 * i + 5});
  append(file.bytes, extent_of_site(50, 2, 333));
  append(file.bytes, dictionary_of(51, "later"));
  append(file.bytes, extent_of_site(51, 3, 1500));
  file.end();
  std::map<std::uint32_t, int> asked;
  ReadOptions options;
  options.site = [&asked](const Site& site, const SegmentInfo& segment) {
    EXPECT_EQ(segment.pid, 101U);
    ++asked[site.id];
    return site.id >= 50;
  };
  const ReadResult r = read_bytes({file.bytes}, options);
  EXPECT_EQ(r.times(), (std::vector<std::uint64_t>{333, 1500}));
  EXPECT_EQ(asked, (std::map<std::uint32_t, int>{{1, 1}, {50, 1}, {51, 1}}));
  EXPECT_EQ(r.report.extents, 102U);
  EXPECT_EQ(r.report.extents_decoded, 2U);
  EXPECT_EQ(r.report.records, 2U);
}

TEST(ReadOptions, LeavesOutStreamsWithTheirLosses) {
  TraceFileBuilder file;
  file.begin();
  file.stream(1, "wanted");
  file.stream(2, "noisy");
  for (std::uint64_t i = 0; i < 50; ++i) {
    file.extent(1, {100 * i});
    file.extent(2, {100 * i + 1});
    file.lose(2, 3);
    if (i == 25) file.lose(1, 7);
  }
  file.sequence_point(9000);
  file.end();
  std::map<std::uint64_t, int> asked;
  ReadOptions options;
  options.stream = [&asked](const StreamInfo& stream, const SegmentInfo&) {
    ++asked[stream.id];
    return stream.thread_name == "wanted";
  };
  ReadResult r = read_bytes({file.bytes}, options);
  EXPECT_EQ(r.events.size(), 51U);
  for (const ReadEvent& e : r.events) EXPECT_EQ(e.stream_id, 1U);
  EXPECT_EQ(asked, (std::map<std::uint64_t, int>{{1, 1}, {2, 1}}));
  EXPECT_EQ(r.report.missing_records, 7U);
  EXPECT_EQ(r.report.extents_decoded, 50U);
  options.losses = false;
  r = read_bytes({file.bytes}, options);
  EXPECT_EQ(r.events.size(), 50U);
  EXPECT_EQ(r.report.missing_records, 7U) << "reported nevertheless";
}

TEST(ReadOptions, SkipsFilesOutsideTheWantedTimeWithoutOpeningThemAgain) {
  std::vector<Bytes> files;
  for (std::uint8_t i = 0; i < 20; ++i) {
    TraceFileBuilder file;
    file.begin(1, "service", i);
    for (std::uint64_t t = 0; t < 50; ++t) file.extent(1, {1000UL * i + 10 * t, 1000UL * i + 990});
    file.end();
    files.push_back(file.bytes);
  }
  ReadOptions options;
  options.since_ns = 7500;
  options.until_ns = 7600;
  const ReadResult r = read_bytes(files, options);
  EXPECT_EQ(r.events.size(), 0U);
  options.until_ns = 8005;
  EXPECT_EQ(read_bytes(files, options).times(), [] {
    std::vector<std::uint64_t> times(50, 7990);
    times.push_back(8000);
    return times;
  }());
}

TEST(ReadOptions, ThreadsChangeNothing) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    std::mt19937_64 random(seed);
    Bytes bytes = random_section(seed);
    if (seed % 2 == 0) {
      for (int i = 0; i < 10; ++i)
        bytes[random() % bytes.size()] = static_cast<std::byte>(random());
    }
    const ReadResult expected = read_bytes(std::vector<Bytes>{bytes});
    for (const unsigned threads : {2U, 4U}) {
      ReadOptions options;
      options.threads = threads;
      const ReadResult r = read_bytes({bytes}, options);
      EXPECT_EQ(r.events, expected.events) << seed;
      EXPECT_EQ(r.report.damaged_blocks, expected.report.damaged_blocks);
      EXPECT_EQ(r.report.missing_records, expected.report.missing_records);
      EXPECT_EQ(r.report.notes.size(), expected.report.notes.size());
      options.since_ns = 1500;
      options.until_ns = 2500;
      ReadOptions alone = options;
      alone.threads = 1;
      EXPECT_EQ(read_bytes({bytes}, options).events, read_bytes({bytes}, alone).events);
    }
  }
}

TEST(ReadOptions, ThreadsDecodeAheadOfTheReader) {
  const Bytes bytes = random_section(1);
  ReadOptions options;
  options.threads = 3;
  // Which thread is first is chance: repeat until a decoding thread was ahead.
  for (;;) {
    const ReadResult r = read_bytes({bytes}, options);
    EXPECT_LE(r.report.extents_decoded_ahead, r.report.extents_decoded);
    if (r.report.extents_decoded_ahead > 0) break;
  }
}

TEST(ReadOptions, ThreadsDecodeExtentsThatAreValidOnlyInTheirFrame) {
  TraceFileBuilder file;
  file.begin();
  for (std::uint64_t i = 0; i < 50; ++i) file.extent(1, {100 * i, 100 * i + 1, 100 * i + 2});
  std::mt19937_64 random(3);
  for (int round = 0; round < 50; ++round) {
    Bytes bad = file.bytes;
    auto memory = TraceFile::in_memory("memory", bad);
    BlockReader blocks(*memory, 0, bad.size(), nullptr);
    Block block;
    while (blocks.next(block)) {
      if (block.frame.type != BlockType::kExtent || random() % 4 != 0) continue;
      std::byte* const at = bad.data() + block.offset;
      at[kBlockHeaderBytes + kExtentHeaderBytes +
         random() % (block.payload.size() - kExtentHeaderBytes)] = static_cast<std::byte>(random());
      write_block_frame(at, BlockType::kExtent, block.payload.size());
    }
    const ReadResult expected = read_bytes(std::vector<Bytes>{bad});
    ReadOptions options;
    options.threads = 3;
    const ReadResult r = read_bytes({bad}, options);
    EXPECT_EQ(r.events, expected.events);
    EXPECT_EQ(r.report.damaged_blocks, expected.report.damaged_blocks);
    EXPECT_EQ(r.report.notes.size(), expected.report.notes.size());
    for (std::size_t i = 0; i < r.report.notes.size(); ++i) {
      EXPECT_EQ(r.report.notes[i].text(), expected.report.notes[i].text());
    }
  }
}

}  // namespace
}  // namespace ringside::trace::testing
