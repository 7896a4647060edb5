// For any choice of sites, the scan gives the same records and values as a full decode. Bytes that
// are not part of a valid extent end the scan where they end the decode.
#include "trace-format/reader/site_scan.hpp"

#include <gtest/gtest.h>

#include "random_records.hpp"
#include "trace_file_builder.hpp"

namespace ringside::trace::testing {
namespace {

// The values of a record's chosen and recorded fields.
std::string values_of(const Site& site, const Value* args, const std::vector<bool>& wanted) {
  std::string values;
  for (std::size_t i = 0; i < site.fields.size(); ++i) {
    if (wanted[i]) values += ring_form(args[i]);
  }
  return values;
}

struct Scanned {
  std::uint64_t tsc = 0;
  std::uint64_t sequence = 0;
  std::uint32_t site_id = 0;
  std::uint32_t ext_flags = 0;
  std::string values;

  bool operator==(const Scanned&) const = default;
};

class SiteChoices : public ::testing::TestWithParam<std::uint64_t> {
 protected:
  void SetUp() override {
    const std::uint64_t count = 1 + random_.below(12);
    std::vector<TestSite> list;
    for (std::uint64_t i = 0; i < count; ++i) {
      list.push_back(random_.site(static_cast<std::uint32_t>(1 + i * 7)));
      add_site(sites_, list.back());
    }
    std::uint64_t tsc = 1000;
    std::string ring;
    std::vector<Decoded> ignored;
    for (int i = 0; i < 800; ++i) {
      tsc += random_.below(1 + random_.below(100000));
      if (random_.below(60) == 0) tsc -= random_.below(5000);
      // Runs of records of one site, with changes between.
      random_.record(list[random_.below(random_.below(3) == 0 ? count : 1)], tsc, ring, ignored);
    }
    StreamCursor cursor{.last_tsc = 1000};
    ExtentEncoder encoder(sites_);
    Bytes out(2 * ring.size() + 4096);
    const EncodeResult r = encoder.encode(as_bytes(ring), cursor, 0, 0, out);
    ASSERT_EQ(r.stop, EncodeStop::kInputEnd);
    payload_.assign(out.begin() + kBlockHeaderBytes,
                    out.begin() + static_cast<std::ptrdiff_t>(r.output_bytes));
  }

  void choose() {
    sites_.for_each([this](const Site& site) {
      if (random_.below(2) == 0) return;
      std::vector<bool>& wanted = wanted_[site.id];
      std::vector<std::uint16_t> fields;
      const bool all = random_.below(2) == 0;
      for (std::size_t i = 0; i < site.fields.size(); ++i) {
        wanted.push_back(all || random_.below(2) == 0);
        if (wanted.back()) fields.push_back(static_cast<std::uint16_t>(i));
      }
      choice_.add(site, fields);
    });
  }

  std::vector<Scanned> by_full_decode(const Bytes& payload, bool& failed) {
    ExtentDecoder decoder;
    std::vector<Scanned> records;
    failed = !decoder.open(payload, sites_, nullptr);
    Record record;
    while (!failed && decoder.next(record)) {
      const auto wanted = wanted_.find(record.site->id);
      if (wanted == wanted_.end()) continue;
      records.push_back({record.tsc, record.sequence, record.site->id, record.ext_flags,
                         values_of(*record.site, record.args.data(), wanted->second)});
    }
    failed = failed || decoder.failed();
    return records;
  }

  std::vector<Scanned> by_choice(const Bytes& payload, bool& failed) {
    ExtentDecoder decoder;
    std::vector<Scanned> records;
    failed = !decoder.open(payload, sites_, nullptr, &choice_);
    if (failed) return records;
    decoder.for_each([&](const RecordView& r) {
      records.push_back({r.tsc, r.sequence, r.site->id,
                         r.extension == nullptr ? 0 : r.extension->ext_flags,
                         values_of(*r.site, r.args, wanted_.at(r.site->id))});
    });
    failed = decoder.failed();
    return records;
  }

  RandomRecords random_{GetParam() + 1000};
  SiteTable sites_;
  SiteChoice choice_;
  std::map<std::uint32_t, std::vector<bool>> wanted_;
  Bytes payload_;
};

TEST_P(SiteChoices, SeeWhatAFullDecodeSees) {
  choose();
  bool full_failed = false;
  bool failed = false;
  const std::vector<Scanned> expected = by_full_decode(payload_, full_failed);
  EXPECT_EQ(by_choice(payload_, failed), expected);
  EXPECT_FALSE(full_failed);
  EXPECT_FALSE(failed);
}

TEST_P(SiteChoices, EndWhereAFullDecodeEndsWhateverTheBytes) {
  choose();
  for (int i = 0; i < 150; ++i) {
    // A heap block of the exact size, so that a sanitizer reports any load past its end.
    Bytes bad = payload_;
    for (std::uint64_t n = 1 + random_.below(4); n > 0; --n) {
      bad[40 + random_.below(std::min<std::size_t>(bad.size(), 4000) - 40)] =
          static_cast<std::byte>(random_.below(256));
    }
    bool full_failed = false;
    bool failed = false;
    const std::vector<Scanned> expected = by_full_decode(bad, full_failed);
    ASSERT_EQ(by_choice(bad, failed), expected);
    ASSERT_EQ(failed, full_failed);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, SiteChoices, ::testing::Range<std::uint64_t>(1, 61));

TEST(SiteScan, VisitsTheSitesRecordsOfAllSectionsWithTheirTimes) {
  TraceFileBuilder file;
  file.begin(1);
  file.extent(1, {10, 30});
  file.extent(2, {20});
  file.sequence_point(40);
  file.extent(2, {50});
  file.end();
  file.begin(2);
  file.clock({0, 1000, std::uint64_t{1} << 40, 0, 0});
  file.extent(1, {60});
  const TemporaryDirectory directory;
  ReadError error;
  auto scan = SiteScan::open(directory.write("a.ringtrace", file.bytes), &error);
  ASSERT_TRUE(scan) << error.text();
  std::vector<std::uint64_t> times;
  std::vector<std::uint64_t> numbers;
  scan->run([](const Site& site, SiteChoice& choice) { choice.add(site); },
            [&](const RecordView& record, TickClock& clock) {
              times.push_back(clock.unix_ns(record.tsc));
              numbers.push_back(record.args[0].u64);
            });
  EXPECT_EQ(times, (std::vector<std::uint64_t>{10, 30, 20, 50, 1060}));
  EXPECT_EQ(numbers.size(), 5U);
  EXPECT_EQ(scan->report().sections, 2U);
  EXPECT_EQ(scan->report().extents, 4U);
  EXPECT_EQ(scan->report().damaged_blocks, 0U);
}

TEST(SiteScan, SkipsAndReportsDamage) {
  TraceFileBuilder file;
  file.begin();
  file.extent(1, {10, 30});
  const std::size_t damaged = file.bytes.size() + 40;
  file.extent(1, {40, 50});
  file.extent(1, {60});
  file.bytes[damaged] ^= std::byte{1};
  const TemporaryDirectory directory;
  auto scan = SiteScan::open(directory.write("a.ringtrace", file.bytes), nullptr);
  ASSERT_TRUE(scan);
  std::vector<std::uint64_t> times;
  scan->run([](const Site& site, SiteChoice& choice) { choice.add(site); },
            [&](const RecordView& record, TickClock&) { times.push_back(record.tsc); });
  EXPECT_EQ(times, (std::vector<std::uint64_t>{10, 30, 60}));
  EXPECT_EQ(scan->report().damaged_blocks, 1U);
}

TEST(SiteScan, ReportsWhyAFileCannotBeScanned) {
  const TemporaryDirectory directory;
  ReadError error;
  EXPECT_FALSE(SiteScan::open(directory.path() + "/none.ringtrace", &error));
  EXPECT_FALSE(error.what.empty());
  const Bytes noise(100, std::byte{7});
  error = {};
  EXPECT_FALSE(SiteScan::open(directory.write("noise.ringtrace", noise), &error));
  EXPECT_FALSE(error.what.empty());
}

}  // namespace
}  // namespace ringside::trace::testing
