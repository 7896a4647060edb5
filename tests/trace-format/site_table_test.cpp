#include "trace-format/codec/site_table.hpp"

#include <random>

#include <gtest/gtest.h>

#include "ring_bytes.hpp"
#include "shm-layout/segment_layout.hpp"

namespace ringside::trace::testing {
namespace {

using shm::FieldType;

TEST(SiteTable, KeepsEverythingInAnEntry) {
  SiteTable sites;
  std::string why;
  Bytes entries = enum_entry(9, {{-1, "minus"}, {5, "five"}});
  append(entries,
         site_entry({.id = 3,
                     .fields = {{.type = FieldType::i32, .name = "a"},
                                {.type = FieldType::i16,
                                 .name = "b",
                                 .constant = true,
                                 .value = raw(std::int16_t{-2})},
                                {.type = FieldType::enumeration, .name = "c", .enum_table_id = 9},
                                {.type = shm::array_of(FieldType::u16), .name = "d"}},
                     .flags = shm::kSiteConsumerClock,
                     .format = "%d"}));
  ASSERT_TRUE(sites.add(entries, &why)) << why;
  const Site* site = sites.find(3);
  ASSERT_NE(site, nullptr);
  EXPECT_EQ(site->id, 3U);
  EXPECT_EQ(site->line, 30U);
  EXPECT_EQ(site->keywords, 5U);
  EXPECT_EQ(site->kind, shm::SiteKind::kLog);
  EXPECT_EQ(site->level, shm::Level::kInfo);
  EXPECT_EQ(site->style, 1);
  EXPECT_EQ(site->flags, shm::kSiteConsumerClock);
  EXPECT_EQ(site->name, "site");
  EXPECT_EQ(site->category, "test");
  EXPECT_EQ(site->format, "%d");
  EXPECT_EQ(site->file, "file.cpp");
  EXPECT_EQ(site->function, "f");
  ASSERT_EQ(site->fields.size(), 4U);
  EXPECT_EQ(site->fields[0].name, "a");
  EXPECT_FALSE(site->fields[0].is_constant());
  EXPECT_TRUE(site->fields[1].is_constant());
  EXPECT_EQ(site->initial_values[1].i64, -2);
  EXPECT_EQ(site->fields[2].enum_table->find(5), "five");
  EXPECT_EQ(site->fields[2].enum_table->find(-1), "minus");
  EXPECT_EQ(site->fields[2].enum_table->find(0), "");
  EXPECT_TRUE(site->fields[3].is_array);
  EXPECT_EQ(site->fields[3].type, FieldType::u16);
  EXPECT_TRUE(site->plan.variable);
  EXPECT_EQ(site->plan.fields.size(), 3U);
  EXPECT_EQ(site->plan.minimal_bytes, 4U + 8U + 4U);
  EXPECT_EQ(sites.find(2), nullptr);
  EXPECT_EQ(sites.find(4), nullptr);
  EXPECT_EQ(sites.size(), 1U);
}

TEST(SiteTable, KnowsConstantsOfEveryKind) {
  SiteTable sites;
  std::string why;
  const std::string two_texts = raw_text("x") + raw_text("yz");
  const Bytes entry = site_entry(
      {.id = 1,
       .fields = {
           {.type = FieldType::string, .constant = true, .value = "text"},
           {.type = FieldType::f64, .constant = true, .value = raw(2.5)},
           {.type = FieldType::u128, .constant = true, .value = raw(1UL) + raw(2UL)},
           {.type = shm::array_of(FieldType::u16), .constant = true, .value = "abcd"},
           {.type = shm::array_of(FieldType::string), .constant = true, .value = two_texts}}});
  ASSERT_TRUE(sites.add(entry, &why)) << why;
  const auto& values = sites.find(1)->initial_values;
  EXPECT_EQ(values[0].text, "text");
  EXPECT_EQ(values[1].f64, 2.5);
  EXPECT_EQ(values[2].u64, 1U);
  EXPECT_EQ(values[2].high, 2U);
  EXPECT_EQ(values[3].count, 2U);
  EXPECT_EQ(values[4].count, 2U);
  EXPECT_EQ(values[4].text, two_texts);
  EXPECT_TRUE(sites.find(1)->plan.fields.empty());
}

TEST(SiteTable, KeepsTheFirstOfTwoDefinitions) {
  SiteTable sites;
  ASSERT_TRUE(sites.add(site_entry({.id = 1, .format = "first"}), nullptr));
  const Site* const site = sites.find(1);
  ASSERT_TRUE(sites.add(site_entry({.id = 1, .format = "second"}), nullptr));
  EXPECT_EQ(sites.find(1), site);
  EXPECT_EQ(site->format, "first");
}

TEST(SiteTable, SkipsEntriesOfUnknownKind) {
  SiteTable sites;
  Bytes entries = site_entry({.id = 1});
  entries[4] = std::byte{77};
  append(entries, site_entry({.id = 2}));
  ASSERT_TRUE(sites.add(entries, nullptr));
  EXPECT_EQ(sites.find(1), nullptr);
  EXPECT_NE(sites.find(2), nullptr);
}

TEST(SiteTable, RefusesImpossibleIdsAndConstants) {
  SiteTable sites;
  std::string why;
  EXPECT_FALSE(sites.add(site_entry({.id = 0}), &why));
  EXPECT_NE(why.find("id"), std::string::npos);
  EXPECT_FALSE(sites.add(site_entry({.id = shm::kMaxSiteCapacity}), &why));
  for (const auto& [type, value] :
       {std::pair(FieldType::i32, "abc"), std::pair(shm::array_of(FieldType::u32), "abcde"),
        std::pair(shm::array_of(FieldType::string), "abc")}) {
    const Bytes entry = site_entry(
        {.id = 1, .fields = {{.type = type, .name = "n", .constant = true, .value = value}}});
    EXPECT_FALSE(sites.add(entry, &why));
    EXPECT_NE(why.find("\"n\""), std::string::npos) << why;
  }
  EXPECT_EQ(sites.size(), 0U);
}

TEST(SiteTable, SurvivesEntriesCutAnywhere) {
  Bytes entries = enum_entry(9, {{1, "one"}});
  append(entries, site_entry({.id = 1, .fields = {{.type = FieldType::string, .name = "n"}}}));
  for (std::size_t cut = 0; cut < entries.size(); ++cut) {
    SiteTable sites;
    const Bytes part(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(cut));
    std::string why;
    const bool whole_entries = cut == 0 || cut == enum_entry(9, {{1, "one"}}).size();
    EXPECT_EQ(sites.add(part, &why), whole_entries) << cut;
  }
}

TEST(SiteTable, SurvivesAnyBytes) {
  Bytes entries = enum_entry(9, {{1, "one"}, {2, "two"}});
  append(entries,
         site_entry({.id = 1,
                     .fields = {{.type = FieldType::enumeration, .name = "n", .enum_table_id = 9},
                                {.type = FieldType::i32, .constant = true, .value = "1234"}}}));
  std::mt19937_64 random(11);
  std::size_t refused = 0;
  for (int i = 0; i < 20000; ++i) {
    Bytes bad = entries;
    for (std::uint64_t n = 1 + random() % 4; n > 0; --n) {
      bad[random() % bad.size()] = static_cast<std::byte>(random());
    }
    SiteTable sites;
    std::string why;
    refused += sites.add(bad, &why) ? 0U : 1U;
  }
  EXPECT_GT(refused, 1000U);
}

}  // namespace
}  // namespace ringside::trace::testing
