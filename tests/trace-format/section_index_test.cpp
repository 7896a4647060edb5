// Reading with the index gives the same as reading without it, costs less, and trusts nothing in
// it.
#include "trace-format/reader/section_index.hpp"

#include <random>

#include <gtest/gtest.h>

#include "section_index_bytes.hpp"

namespace ringside::trace::testing {
namespace {

// Several streams, sequence points, late extents, a site, clocks, and streams that start later.
Bytes section(std::uint64_t seed, std::uint8_t uuid = 1) {
  std::mt19937_64 random(seed);
  TraceFileBuilder file;
  file.begin(uuid);
  std::vector<std::uint64_t> now(4, 1000);
  for (std::uint64_t i = 0; i < 300; ++i) {
    const std::uint64_t s = random() % now.size();
    if (i % 50 == 10) file.stream(s, "stream " + std::to_string(i));
    if (i % 60 == 20) {
      const std::uint64_t youngest = *std::max_element(now.begin(), now.end()) + 1;
      file.clock({youngest, youngest, std::uint64_t{1} << 40, 0, 0});
    }
    std::vector<std::uint64_t> times;
    for (std::uint64_t n = 1 + random() % 10; n > 0; --n) {
      now[s] += random() % 40;
      times.push_back(now[s] - (random() % 30 == 0 ? random() % 60 : 0));
    }
    file.extent(s, times);
    if (random() % 5 == 0) {
      std::vector<std::uint64_t> sorted = now;
      std::sort(sorted.begin(), sorted.end());
      file.sequence_point(std::max(file.watermark, sorted[random() % 3]));
    }
  }
  return file.bytes;
}

ReadOptions between(std::uint64_t since, std::uint64_t until) {
  ReadOptions options;
  options.since_ns = since;
  options.until_ns = until;
  return options;
}

std::vector<ReadEvent> within(const std::vector<ReadEvent>& events, std::uint64_t since,
                              std::uint64_t until) {
  std::vector<ReadEvent> result;
  std::copy_if(events.begin(), events.end(), std::back_inserter(result),
               [&](const ReadEvent& e) { return e.unix_ns >= since && e.unix_ns < until; });
  return result;
}

TEST(SectionIndex, HoldsWhatTheWalkFinds) {
  const Bytes plain = section(1);
  const Bytes indexed = with_index(plain);
  ReadReport report;
  auto file = TraceFile::in_memory("indexed", indexed);
  const std::vector<SectionScan> by_index = scan_sections(*file, report);
  file = TraceFile::in_memory("plain", plain);
  const std::vector<SectionScan> by_walk = scan_sections(*file, report);
  ASSERT_EQ(by_index.size(), 1U);
  ASSERT_EQ(by_walk.size(), 1U);
  EXPECT_TRUE(by_index[0].indexed);
  EXPECT_FALSE(by_walk[0].indexed);
  EXPECT_EQ(by_index[0].metadata, by_walk[0].metadata);
  EXPECT_EQ(by_index[0].late.size(), by_walk[0].late.size());
  EXPECT_EQ(by_index[0].points.size(), by_walk[0].points.size());
  EXPECT_EQ(by_index[0].min_tsc, by_walk[0].min_tsc);
  EXPECT_EQ(by_index[0].max_tsc, by_walk[0].max_tsc);
  EXPECT_EQ(by_index[0].clocks.points().size(), by_walk[0].clocks.points().size());
}

TEST(SectionIndex, ChangesNothingButTheCost) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Bytes plain = section(seed);
    const Bytes indexed = with_index(plain);
    const ReadResult all = read_bytes(std::vector<Bytes>{plain});
    ASSERT_GT(all.events.size(), 500U);
    EXPECT_EQ(read_bytes(std::vector<Bytes>{indexed}).events, all.events);
    std::mt19937_64 random(seed);
    const std::uint64_t youngest = all.events.back().unix_ns;
    for (int i = 0; i < 20; ++i) {
      const std::uint64_t since = 900 + random() % (youngest - 900);
      const std::uint64_t until = since + random() % 400;
      const auto expected = within(all.events, since, until);
      for (const Bytes& bytes : {plain, indexed}) {
        const ReadResult r = read_bytes(std::vector<Bytes>{bytes}, between(since, until));
        EXPECT_EQ(r.events, expected) << "seed " << seed << " " << since << " " << until;
        EXPECT_LT(r.report.extents_decoded, 100U);
        EXPECT_TRUE(r.report.notes.empty());
      }
    }
  }
}

TEST(SectionIndex, IsReadOfEverySectionOfAFileFromItsEnd) {
  Bytes bytes = with_index(section(1, 1));
  append(bytes, with_index(section(2, 2)));
  append(bytes, with_index(section(3, 3)));
  ReadReport report;
  auto file = TraceFile::in_memory("three", bytes);
  std::vector<SectionScan> sections = scan_sections(*file, report);
  ASSERT_EQ(sections.size(), 3U);
  for (const SectionScan& s : sections) EXPECT_TRUE(s.indexed);
  // A section without an index comes first: its blocks are walked, those of the others are not.
  Bytes front = section(4, 4);
  append(front, bytes);
  file = TraceFile::in_memory("four", front);
  sections = scan_sections(*file, report);
  ASSERT_EQ(sections.size(), 4U);
  EXPECT_FALSE(sections[0].indexed);
  EXPECT_EQ(sections[0].segment->uuid[0], 4);
  EXPECT_TRUE(sections[1].indexed);
  // A growing section comes last: its blocks are walked, those of the others are not.
  append(bytes, section(5, 5));
  file = TraceFile::in_memory("growing", bytes);
  sections = scan_sections(*file, report);
  ASSERT_EQ(sections.size(), 4U);
  for (const SectionScan& s : sections) EXPECT_FALSE(s.indexed);
}

TEST(SectionIndex, WithMissingOrInventedBlocksLosesNothing) {
  const Bytes plain = section(7);
  const IndexFields truth = index_of(plain);
  const ReadResult all = read_bytes(std::vector<Bytes>{plain});
  const auto read_with = [&](const IndexFields& lie, ReadOptions options = {}) {
    Bytes bytes = plain;
    append_index(bytes, lie);
    return read_bytes(std::vector<Bytes>{bytes}, std::move(options));
  };
  EXPECT_EQ(read_with(truth).events, all.events);
  for (std::size_t i = 0; i < truth.metadata.size(); ++i) {
    IndexFields lie = truth;
    lie.metadata.erase(lie.metadata.begin() + static_cast<std::ptrdiff_t>(i));
    const ReadResult r = read_with(lie);
    EXPECT_EQ(r.events.size(), all.events.size()) << i;
    EXPECT_FALSE(r.report.notes.empty()) << i;
    lie = truth;
    lie.metadata[i] += 1;
    EXPECT_EQ(read_with(lie).events, all.events) << "rejected already when it is opened";
  }
  ASSERT_FALSE(truth.late.empty());
  for (std::size_t i = 0; i < truth.late.size(); ++i) {
    IndexFields lie = truth;
    lie.late[i].offset += 4;
    EXPECT_EQ(read_with(lie).events, all.events);
    lie = truth;
    lie.late[i].min_tsc /= 2;
    EXPECT_EQ(read_with(lie).events, all.events);
  }
  const std::uint64_t since = all.events[all.events.size() / 2].unix_ns;
  for (std::size_t i = 0; i < truth.points.size(); ++i) {
    IndexFields lie = truth;
    lie.points[i].offset += 8;
    const ReadResult r = read_with(lie, between(since, since + 100));
    EXPECT_EQ(r.events, within(all.events, since, since + 100)) << i;
  }
}

TEST(SectionIndex, IsSurvivedWhateverItsContent) {
  const Bytes plain = section(9);
  const ReadResult all = read_bytes(std::vector<Bytes>{plain});
  Bytes good = with_index(plain);
  const std::size_t index_bytes = good.size() - plain.size() - 48 - kBlockHeaderBytes;
  std::mt19937_64 random(4);
  for (int i = 0; i < 500; ++i) {
    Bytes bad = good;
    for (std::uint64_t n = 1 + random() % 4; n > 0; --n) {
      bad[plain.size() + kBlockHeaderBytes + random() % index_bytes] =
          static_cast<std::byte>(random());
    }
    // With a valid CRC, so that its content is used.
    write_block_frame(bad.data() + plain.size(), BlockType::kIndex, index_bytes);
    const ReadResult r = read_bytes(std::vector<Bytes>{bad});
    EXPECT_EQ(r.report.records, all.report.records) << i;
    const std::uint64_t since = all.events[random() % all.events.size()].unix_ns;
    read_bytes(std::vector<Bytes>{bad}, between(since, since + 200));
  }
}

// 10 GB in 1,000 s: extents of 64 KiB from one stream, generated when they are read.
class LargeTrace final : public TraceFile {
 public:
  static constexpr std::uint64_t kExtents = 10ULL * 1000 * 1000 * 1000 / 65536;
  static constexpr std::uint64_t kExtentsBetweenPoints = 16;
  static constexpr std::uint64_t kNsOfExtent = 1'000'000'000'000 / kExtents;
  static constexpr std::uint64_t kRecords = 16000;  // records of an extent

  static std::unique_ptr<LargeTrace> make(bool indexed) {
    TraceFileBuilder builder;
    builder.begin();
    builder.stream(1, "one");
    Bytes head = builder.bytes;
    // Never the same value as the previous record: four bytes per record.
    builder.bytes.clear();
    std::vector<std::uint64_t> times(kRecords);
    for (std::uint64_t i = 0; i < kRecords; ++i) times[i] = i * (kNsOfExtent / kRecords);
    builder.extent(1, times);
    const Bytes extent = builder.bytes;
    builder.bytes.clear();
    builder.sequence_point(1);
    const Bytes point = builder.bytes;
    const std::uint64_t unit = kExtentsBetweenPoints * extent.size() + point.size();
    const std::uint64_t units = kExtents / kExtentsBetweenPoints;
    Bytes tail;
    if (indexed) {
      IndexFields index;
      index.offset = head.size() + units * unit;
      index.min_tsc = 0;
      index.max_tsc = units * kExtentsBetweenPoints * kNsOfExtent;
      for (const std::uint64_t offset : index_of(head).metadata) index.metadata.push_back(offset);
      for (std::uint64_t i = 0; i < units; ++i) {
        const std::uint64_t tsc = (i + 1) * kExtentsBetweenPoints * kNsOfExtent;
        index.points.push_back({head.size() + (i + 1) * unit - point.size(), tsc, tsc - 1});
      }
      append_index(tail, index);
    }
    const std::uint64_t size = head.size() + units * unit + tail.size();
    return std::unique_ptr<LargeTrace>(
        new LargeTrace(size, std::move(head), extent, point, std::move(tail), units));
  }

  std::size_t read(std::uint64_t offset, std::span<std::byte> bytes) override {
    std::size_t done = 0;
    while (done < bytes.size() && offset + done < size()) {
      const auto [part, from] = part_at(offset + done, bytes.size() - done);
      const std::size_t take = std::min(part.size() - from, bytes.size() - done);
      std::copy_n(part.begin() + static_cast<std::ptrdiff_t>(from), take,
                  bytes.begin() + static_cast<std::ptrdiff_t>(done));
      done += take;
    }
    count(done);
    return done;
  }

 private:
  LargeTrace(std::uint64_t size, Bytes head, Bytes extent, Bytes point, Bytes tail,
             std::uint64_t units)
      : TraceFile("10 GB", size),
        head_(std::move(head)),
        extent_(std::move(extent)),
        point_(std::move(point)),
        tail_(std::move(tail)),
        units_(units) {}

  std::pair<std::span<const std::byte>, std::size_t> part_at(std::uint64_t offset,
                                                             std::size_t wanted) {
    if (offset < head_.size()) return {head_, offset};
    const std::uint64_t unit = kExtentsBetweenPoints * extent_.size() + point_.size();
    const std::uint64_t i = (offset - head_.size()) / unit;
    if (i >= units_) return {tail_, offset - head_.size() - units_ * unit};
    const std::uint64_t in_unit = (offset - head_.size()) % unit;
    const std::uint64_t k = in_unit / extent_.size();
    if (k == kExtentsBetweenPoints) {
      std::byte* const p = point_.data() + kBlockHeaderBytes;
      store(p, std::uint64_t{(i + 1) * kExtentsBetweenPoints * kNsOfExtent});
      store(p + kSequencePointFixedBytes + 8, (i + 1) * kExtentsBetweenPoints * kRecords);
      write_block_frame(point_.data(), BlockType::kSequencePoint,
                        point_.size() - kBlockHeaderBytes);
      return {point_, in_unit - k * extent_.size()};
    }
    const std::uint64_t number = i * kExtentsBetweenPoints + k;
    const std::uint64_t from = in_unit - k * extent_.size();
    std::byte* const p = extent_.data() + kBlockHeaderBytes;
    store(p + 8, number * kRecords);
    store(p + 16, number * kNsOfExtent);
    store(p + 24, number * kNsOfExtent);
    store(p + 32, number * kNsOfExtent + (kRecords - 1) * (kNsOfExtent / kRecords));
    // A read of the header alone cannot check the CRC.
    const bool whole = from + wanted > kBlockHeaderBytes + kExtentHeaderBytes;
    if (whole && number != summed_up_) {
      write_block_frame(extent_.data(), BlockType::kExtent, extent_.size() - kBlockHeaderBytes);
      summed_up_ = number;
    }
    return {extent_, from};
  }

  Bytes head_, extent_, point_, tail_;
  std::uint64_t units_;
  std::uint64_t summed_up_ = ~std::uint64_t{0};
};

void read_one_second(bool indexed, std::uint64_t most_bytes) {
  std::vector<std::unique_ptr<TraceFile>> files;
  files.push_back(LargeTrace::make(indexed));
  EXPECT_GT(files[0]->size(), 9'900'000'000U);
  constexpr std::uint64_t kSince = 500'000'000'000;
  constexpr std::uint64_t kSecond = 1'000'000'000;
  auto set = TraceSet::open(std::move(files), between(kSince, kSince + kSecond), nullptr);
  ASSERT_TRUE(set);
  Event event;
  std::uint64_t events = 0;
  std::uint64_t last = kSince;
  while (set->next(event)) {
    ++events;
    ASSERT_GE(event.unix_ns, last);
    last = event.unix_ns;
  }
  EXPECT_LT(last, kSince + kSecond);
  constexpr std::uint64_t kExpected = kSecond / LargeTrace::kNsOfExtent * LargeTrace::kRecords;
  EXPECT_NEAR(static_cast<double>(events), static_cast<double>(kExpected),
              LargeTrace::kRecords * 1.5);
  EXPECT_EQ(set->report().missing_records, 0U);
  EXPECT_TRUE(set->report().notes.empty());
  EXPECT_LT(set->report().bytes_read, most_bytes);
  ::testing::Test::RecordProperty("bytes_read", std::to_string(set->report().bytes_read));
  std::cout << (indexed ? "with" : "without") << " an index " << set->report().bytes_read
            << " bytes are read of 10 GB\n";
}

TEST(LargeTraceFile, GivesASecondOutOfItsMiddleForFewBytesByItsIndex) {
  read_one_second(true, 24'000'000);
}

TEST(LargeTraceFile, GivesASecondOutOfItsMiddleForItsHeadersWithoutAnIndex) {
  read_one_second(false, 48'000'000);
}

}  // namespace
}  // namespace ringside::trace::testing
