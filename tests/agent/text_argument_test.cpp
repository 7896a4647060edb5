// RS_TEXT: texts that the service makes.

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "libagent/include/ringside/ringside.hpp"
#include "libagent/include/ringside/text.hpp"
#include "shm-layout/record_head.hpp"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_reader.hpp"

namespace ringside::test {
namespace {

std::string last_text() {
  const std::string value = last_values().at(0);
  EXPECT_EQ(value.substr(0, 7), "string ");
  return value.substr(7);
}

template <class T>
std::string recorded(const T& text) {
  RS_TEXT(RS_LEVEL_INFO, text);
  return last_text();
}

PROCESS_TEST(TextArgument, TakesEveryKindOfText) {
  const std::string string = "std::string";
  EXPECT_EQ(recorded(string), "std::string");
  EXPECT_EQ(recorded(std::string_view(string).substr(5)), "string");
  EXPECT_EQ(recorded(string.c_str()), "std::string");
  EXPECT_EQ(recorded("a literal"), "a literal");
  EXPECT_EQ(recorded(std::filesystem::path("/a/path")), "/a/path");
  EXPECT_EQ(recorded(std::vector<char>{'a', 'b'}), "ab");
  EXPECT_EQ(recorded(std::array<unsigned char, 2>{'c', 'd'}), "cd");
  EXPECT_EQ(recorded(reinterpret_cast<const unsigned char*>("bytes")), "bytes");
  EXPECT_EQ(recorded(u8"\u00e4"), "\u00e4");
  EXPECT_EQ(recorded(std::u8string(u8"\u00f6")), "\u00f6");
  char* const writable = const_cast<char*>("char*");
  RS_TEXT(RS_LEVEL_INFO, writable);
  EXPECT_EQ(last_text(), "char*");
  RS_TEXT(RS_LEVEL_INFO, std::string("tempo") + "rary");
  EXPECT_EQ(last_text(), "temporary");
}

PROCESS_TEST(TextArgument, TakesALength) {
  const char* const text = "abcdef";
  RS_TEXT(RS_LEVEL_INFO, text, 3);
  EXPECT_EQ(last_text(), "abc");
  RS_TEXT(RS_LEVEL_INFO, text + 3, std::size_t{2});
  EXPECT_EQ(last_text(), "de");
  RS_TEXT(RS_LEVEL_INFO, text, 0U);
  EXPECT_EQ(last_text(), "");
  RS_TEXT(RS_LEVEL_INFO, text, -1);
  EXPECT_EQ(last_text(), "");
  RS_TEXT(RS_LEVEL_INFO, "a\0b", 3);
  EXPECT_EQ(last_text(), std::string("a\0b", 3));
}

PROCESS_TEST(TextArgument, NeedNotBeTerminatedWithinItsBounds) {
  const char full[] = {'f', 'u', 'l', 'l'};
  RS_TEXT(RS_LEVEL_INFO, full);
  EXPECT_EQ(last_text(), "full");
  char buffer[16] = "short";
  RS_TEXT(RS_LEVEL_INFO, buffer);
  EXPECT_EQ(last_text(), "short");
  RS_TEXT(RS_LEVEL_INFO, full, sizeof full);
  EXPECT_EQ(last_text(), "full");
}

PROCESS_TEST(TextArgument, TakesNullPointers) {
  const char* const null = nullptr;
  RS_TEXT(RS_LEVEL_INFO, null);
  EXPECT_EQ(last_text(), "(null)");
  RS_TEXT(RS_LEVEL_INFO, null, 5);
  EXPECT_EQ(last_text(), "");
  EXPECT_EQ(recorded(std::string_view()), "");
  EXPECT_EQ(recorded(std::string()), "");
}

PROCESS_TEST(TextArgument, IsNoFormat) {
  for (const char* text : {"100% {} {0} {name} }{ %n %s %", "{", "}", "%", "{:d}"}) {
    EXPECT_EQ(recorded(text), text);
  }
  const Record last = own_segment().data(own_segment().my_ring()).back();
  const auto& fields = own_segment().sites().at(last.code).fields;
  ASSERT_EQ(fields.size(), 1U);
  EXPECT_EQ(fields[0].name, "text");
}

PROCESS_TEST(TextArgument, LosesItsEndIfItDoesNotFit) {
  RS_INFO("creates the segment");
  const std::uint32_t most = own_segment().header().max_record_bytes;
  std::string text(most, 'x');
  RS_TEXT(RS_LEVEL_INFO, text);
  const Record cut = own_segment().data(own_segment().my_ring()).back();
  EXPECT_TRUE(cut.is_cut());
  EXPECT_LE(cut.bytes, most);
  EXPECT_GT(cut.bytes, most - 32);
  EXPECT_EQ(losses(LossCause::too_large), 1U);
  // Not within a character.
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) text.replace(i, 2, "\u00e4");
  for (int shift = 0; shift < 2; ++shift) {
    RS_TEXT(RS_LEVEL_INFO, text);
    EXPECT_EQ(static_cast<unsigned char>(last_text().back()), 0xa4U);
    text.insert(0, "x");
  }
  EXPECT_EQ(losses(LossCause::too_large), 3U);
}

PROCESS_TEST(TextArgument, IsWholeIfItFits) {
  RS_INFO("creates the segment");
  const std::string text(own_segment().header().max_record_bytes - 12, 'x');
  RS_TEXT(RS_LEVEL_INFO, text);
  EXPECT_EQ(last_text(), text);
  EXPECT_EQ(losses(LossCause::too_large), 0U);
}

PROCESS_TEST(TextArgument, TakesAnyLevelGateAndCategory) {
  for (const rs_level level : {RS_LEVEL_DEBUG, RS_LEVEL_ERROR}) {
    RS_WITH_CATEGORY("net", RS_EVERY_N(2, RS_TEXT(level, std::string("text"))));
  }
  int found = 0;
  for (const auto& [id, site] : own_segment().sites()) {
    if (site.category != "net") continue;
    ++found;
    EXPECT_EQ(site.format, "{}");
    EXPECT_EQ(own_segment().executions(id).suppressed, site.level == shm::Level::kError ? 1U : 0U);
  }
  EXPECT_EQ(found, 2);
  EXPECT_EQ(last_text(), "text");
}

PROCESS_TEST(TextArgument, IsNotEvaluatedWhileDisabled) {
  int evaluated = 0;
  const auto make = [&evaluated] { return std::to_string(++evaluated); };
  set_level(Level::error);
  RS_TEXT(RS_LEVEL_INFO, make());
  EXPECT_EQ(evaluated, 0);
  RS_TEXT(RS_LEVEL_ERROR, make());
  EXPECT_EQ(evaluated, 1);
  EXPECT_EQ(last_text(), "1");
}

}  // namespace
}  // namespace ringside::test
