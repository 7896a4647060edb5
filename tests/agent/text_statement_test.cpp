// Statements of texts whose places are only known at run time.

#include <cstdint>
#include <cstring>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "libagent/include/ringside/text.hpp"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_reader.hpp"

namespace ringside::test {
namespace {

constexpr std::uint32_t kMostPlaces = 4096;

rs_text_place place_at(const char* file, std::uint32_t line) {
  rs_text_place place{};
  place.file = file;
  place.line = line;
  place.level = RS_LEVEL_INFO;
  return place;
}

void record(const rs_text_place& place, std::string_view text) {
  std::uint8_t state = 0;
  rs_site* const site = detail::enabled_text_site(place, &state);
  ASSERT_NE(site, nullptr);
  detail::record_text(site, state, {text.data(), text.size()});
}

std::vector<std::string> recorded() {
  std::vector<std::string> all;
  for (const Record& r : own_segment().data(own_segment().my_ring())) all.push_back(r.values.at(0));
  return all;
}

PROCESS_TEST(TextStatement, HasThePlaceAndTheTextOfItsRecords) {
  const char category[] = {'o', 'r', 'd', 'e', 'r', 's'};  // not terminated
  rs_text_place place = place_at("folder/file.cpp", 42);
  place.function = "trade";
  place.category = category;
  place.category_bytes = sizeof category;
  place.level = RS_LEVEL_WARNING;
  record(place, "first");
  record(place, "");
  EXPECT_EQ(recorded(), (std::vector<std::string>{"string first", "string "}));
  const Site& site = own_segment().site("{}");
  EXPECT_EQ(site.file, "folder/file.cpp");
  EXPECT_EQ(site.function, "trade");
  EXPECT_EQ(site.line, 42U);
  EXPECT_STREQ(rs_text_site(&place)->detail->category, "orders");
  EXPECT_EQ(site.level, shm::Level::kWarning);
  ASSERT_EQ(site.fields.size(), 1U);
  EXPECT_EQ(site.fields[0].name, "text");
}

PROCESS_TEST(TextStatement, IsFoundByTextsAndNotByAddresses) {
  const std::string file = "file.cpp";
  const std::string copy = std::string("file") + ".cpp";
  rs_text_place place = place_at(file.c_str(), 1);
  rs_site* const site = rs_text_site(&place);
  ASSERT_NE(site, nullptr);
  place.file = copy.c_str();
  EXPECT_EQ(rs_text_site(&place), site);
  std::set<rs_site*> others{site};
  place.line = 2;
  others.insert(rs_text_site(&place));
  place.level = RS_LEVEL_ERROR;
  others.insert(rs_text_site(&place));
  place.function = "function";
  others.insert(rs_text_site(&place));
  place.category = "category";
  place.category_bytes = 4;
  others.insert(rs_text_site(&place));
  place.category_bytes = 8;
  others.insert(rs_text_site(&place));
  EXPECT_EQ(others.size(), 6U);
}

PROCESS_TEST(TextStatement, TakesPlacesWithoutTextsAndWithLongOnes) {
  const rs_text_place nothing{};
  record(nothing, "nothing");
  const std::string longest(1 << 20, 'x');
  rs_text_place place = place_at(longest.c_str(), 1);
  place.category = longest.data();
  place.category_bytes = static_cast<std::uint32_t>(longest.size());
  place.level = 200;
  record(place, "long");
  EXPECT_EQ(recorded(), (std::vector<std::string>{"string nothing", "string long"}));
  EXPECT_EQ(std::strlen(rs_text_site(&place)->detail->category), 4096U);
  for (const auto& [id, site] : own_segment().sites()) {
    if (site.format != "{}") continue;
    EXPECT_LE(site.file.size(), 4096U);
    EXPECT_EQ(site.level, site.file.empty() ? shm::Level::kTrace : shm::Level::kCritical);
  }
}

PROCESS_TEST(TextStatement, IsSharedByTheLevelsOfFurtherPlaces) {
  const std::string file = "file.cpp";
  rs_text_place place = place_at(file.c_str(), 0);
  std::set<rs_site*> sites;
  for (std::uint32_t line = 1; line <= kMostPlaces; ++line) {
    place.line = line;
    sites.insert(rs_text_site(&place));
  }
  EXPECT_EQ(sites.size(), kMostPlaces);
  place.line = kMostPlaces + 1;
  rs_site* const shared = rs_text_site(&place);
  ASSERT_NE(shared, nullptr);
  EXPECT_STREQ(shared->file, "");
  EXPECT_EQ(shared->line, 0U);
  EXPECT_FALSE(sites.contains(shared));
  place.line = kMostPlaces + 2;
  EXPECT_EQ(rs_text_site(&place), shared);
  place.level = RS_LEVEL_ERROR;
  EXPECT_NE(rs_text_site(&place), shared);
  record(place, "not lost");
  EXPECT_EQ(recorded(), (std::vector<std::string>{"string not lost"}));
}

PROCESS_TEST(TextStatement, IsOneForAllThreads) {
  constexpr std::uint32_t kPlaces = 200;
  std::vector<std::vector<rs_site*>> found(4);
  std::vector<std::thread> threads;
  for (std::vector<rs_site*>& mine : found) {
    threads.emplace_back([&mine] {
      const std::string file = "file.cpp";
      for (std::uint32_t line = 1; line <= kPlaces; ++line) {
        const rs_text_place place = place_at(file.c_str(), line);
        mine.push_back(rs_text_site(&place));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::vector<rs_site*>& mine : found) EXPECT_EQ(mine, found[0]);
  EXPECT_EQ(std::set<rs_site*>(found[0].begin(), found[0].end()).size(), kPlaces);
}

}  // namespace
}  // namespace ringside::test
