// Sites with many fields: which dictionary entries are valid, and their records through encoder,
// decoder and rows.

#include <gtest/gtest.h>

#include "decoded_record.hpp"
#include "trace-format/codec/record_rows.hpp"

namespace ringside::trace::testing {
namespace {

using shm::FieldType;

constexpr FieldType kTypes[] = {FieldType::i32,  FieldType::string,  FieldType::f64,
                                FieldType::i128, FieldType::boolean, FieldType::f32,
                                FieldType::u64,  FieldType::f80};

TestSite site_of(std::size_t fields, bool numbers_only) {
  TestSite site{.id = static_cast<std::uint32_t>(fields + 1)};
  for (std::size_t i = 0; i < fields; ++i) {
    const FieldType type = numbers_only ? FieldType::i32 : kTypes[i % std::size(kTypes)];
    site.fields.push_back({.type = type, .name = "f" + std::to_string(i)});
  }
  return site;
}

// The arguments of record number `record`.
std::string arguments_of(const TestSite& site, std::uint64_t record) {
  std::string arguments;
  for (std::size_t i = 0; i < site.fields.size(); ++i) {
    const std::uint64_t number = record * 7919 * (i + 1);
    switch (site.fields[i].type) {
      case FieldType::string:
        arguments += raw_text(std::string(number % 19, static_cast<char>('a' + i % 26)));
        break;
      case FieldType::f64:
        arguments += raw(static_cast<double>(number) / 3);
        break;
      case FieldType::f32:
        arguments += raw(static_cast<float>(number));
        break;
      case FieldType::boolean:
        arguments += raw(static_cast<std::uint8_t>(number % 2));
        break;
      case FieldType::i32:
        arguments += raw(static_cast<std::int32_t>(~number));
        break;
      default: {
        std::string bytes = raw(~number) + raw(number << 40);
        bytes.resize(shm::fixed_size(site.fields[i].type));
        arguments += bytes;
      }
    }
  }
  return arguments;
}

class WideSites : public ::testing::TestWithParam<std::size_t> {
 protected:
  // Encodes `records` of the site into blocks of at most `room` bytes, and decodes them.
  std::vector<Decoded> through(const TestSite& site, std::size_t records, std::size_t room) {
    std::string why;
    EXPECT_TRUE(sites_.add(site_entry(site), &why)) << why;
    std::string ring;
    for (std::size_t i = 0; i < records; ++i) {
      expected_.push_back(arguments_of(site, i));
      ring += plain_record(site.id, 10 + i, expected_.back());
    }
    const RoundTrip result = round_trip(sites_, ring, {}, room);
    EXPECT_EQ(result.last.stop, EncodeStop::kInputEnd);
    return result.records;
  }

  void expect_all(const std::vector<Decoded>& decoded) {
    ASSERT_EQ(decoded.size(), expected_.size());
    for (std::size_t i = 0; i < decoded.size(); ++i) EXPECT_EQ(decoded[i].args, expected_[i]) << i;
  }

  SiteTable sites_;
  std::vector<std::string> expected_;
};

TEST_P(WideSites, KeepTheirValues) {
  const TestSite site = site_of(GetParam(), false);
  expect_all(through(site, 100, std::size_t{1} << 20));
}

TEST_P(WideSites, KeepTheirIntegers) {
  const TestSite site = site_of(GetParam(), true);
  expect_all(through(site, 100, std::size_t{1} << 20));
}

// The room of consumerd for a single record.
TEST_P(WideSites, FitTheRoomForOneRecord) {
  const TestSite site = site_of(GetParam(), false);
  std::size_t longest = 0;
  for (std::size_t i = 0; i < 20; ++i) {
    longest = std::max(longest, shm::kHeadBytes + arguments_of(site, i).size());
  }
  expect_all(through(site, 20, 2 * longest + 4096));
}

TEST_P(WideSites, ComeBackFromRows) {
  const TestSite site = site_of(GetParam(), false);
  std::string why;
  ASSERT_TRUE(sites_.add(site_entry(site), &why)) << why;
  const Site& known = *sites_.find(site.id);
  std::vector<Value> values = known.initial_values;
  for (std::size_t i = 0; i < values.size(); ++i) values[i].u64 = 1000 + i;
  Record record;
  record.site = &known;
  record.args = values;
  RecordRows rows;
  const RecordRows::Row row = rows.add(17, record);
  Record again;
  rows.get(row, again);
  ASSERT_EQ(again.args.size(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(again.args[i].u64, 1000 + i) << i;
}

INSTANTIATE_TEST_SUITE_P(Fields, WideSites, ::testing::Values(64, 65, 254, 255, 256, 257, 512));

std::uint16_t kind_of(const Bytes& entry) {
  return shm::entry_kind(entry);
}

void set_kind(Bytes& entry, std::uint16_t kind) {
  std::memcpy(entry.data() + 4, &kind, sizeof kind);
}

TEST(WideEntry, IsOfAKindThatOlderReadersSkip) {
  EXPECT_EQ(kind_of(site_entry(site_of(64, true))), shm::kEntrySite);
  EXPECT_EQ(kind_of(site_entry(site_of(65, true))), shm::kEntryWideSite);
}

TEST(WideEntry, IsRefusedAsOneOfAnOrdinarySite) {
  Bytes entry = site_entry(site_of(65, true));
  set_kind(entry, shm::kEntrySite);
  SiteTable sites;
  std::string why;
  EXPECT_FALSE(sites.add(entry, &why));
  EXPECT_EQ(why, "the dictionary entry of a site contradicts itself");
}

TEST(WideEntry, MayHaveFewFields) {
  Bytes entry = site_entry(site_of(3, true));
  set_kind(entry, shm::kEntryWideSite);
  SiteTable sites;
  ASSERT_TRUE(sites.add(entry, nullptr));
  EXPECT_EQ(sites.find(4)->fields.size(), 3U);
}

TEST(WideEntry, IsRefusedBeyond512Fields) {
  SiteTable sites;
  EXPECT_TRUE(sites.add(site_entry(site_of(512, true)), nullptr));
  EXPECT_FALSE(sites.add(site_entry(site_of(513, true)), nullptr));
}

}  // namespace
}  // namespace ringside::trace::testing
