// What the stream front end writes into a ring and into the dictionary.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <limits>
#include <ostream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "libagent/include/ringside/ringside.hpp"
#include "libagent/include/ringside/stream.hpp"
#include "libagent/include/ringside/streamed.hpp"
#include "shm-layout/site_switch.hpp"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_reader.hpp"
#include "tests/agent/shared_inline.hpp"
#include "tests/agent/signal_handler.hpp"

namespace ringside::test {
namespace {

using Values = std::vector<std::string>;

constexpr char kUnknownText[] = "<text known from the first execution on>";

enum class Side : std::uint8_t { buy = 1, sell = 200 };
enum Plain { kPlain = -3 };
enum Letter : unsigned char { kLetter = 'L' };
struct Order {
  unsigned kind : 3;
};
struct [[gnu::packed]] Packed {
  char first;
  std::int64_t value;
};
struct Undefined {
  static const int kValue = 4;
};
struct Point {
  int x;
  int y;
};
std::ostream& operator<<(std::ostream& out, const Point& point) {
  return out << '(' << point.x << '|' << point.y << ')';
}

// The statement of the last record of the calling thread.
Site last_site() {
  SegmentReader& segment = own_segment();
  const std::vector<Record> data = segment.data(segment.my_ring());
  return segment.sites().at(data.back().code);
}

std::string last_format() {
  return last_site().format;
}

std::size_t record_count() {
  return own_segment().data(own_segment().my_ring()).size();
}

PROCESS_TEST(StreamRecord, StoresTextOnceAndValuesInTheirTypes) {
  RS_STREAM(INFO) << "order " << 5 << " of {" << 2.5 << "} filled";
  EXPECT_EQ(last_values(), (Values{"i32 5", "f64 2.5"}));
  EXPECT_EQ(last_format(), "order {} of {{{:g}}} filled");
  RS_STREAM(INFO) << std::int8_t{65} << std::uint16_t{65535} << -5 << ~std::uint64_t{0} << 'x'
                  << true;
  EXPECT_EQ(last_values(), (Values{"char 65", "u16 65535", "i32 -5", "u64 18446744073709551615",
                                   "char 120", "bool 1"}));
  EXPECT_EQ(last_format(), "{}{}{}{}{}{:d}");
  RS_STREAM(INFO) << 1.5F << 2.5L << nullptr << Side::sell << kPlain << kLetter;
  EXPECT_EQ(last_values(),
            (Values{"f32 1.5", "f80 2.5", "pointer 0", "enum 200", "i32 -3", "char 76"}));
  RS_STREAM(INFO) << static_cast<detail::Int128>(-1) << " as text";
  EXPECT_EQ(last_values(), (Values{"i128 0xffffffffffffffffffffffffffffffff"}));
}

PROCESS_TEST(StreamRecord, StoresTexts) {
  const std::filesystem::path path = "/var/log";
  const char* const pointer = "C";
  RS_STREAM(INFO) << pointer << std::string("with\0NUL", 8) << std::string_view("view") << path;
  EXPECT_EQ(last_values(), (Values{"string C", std::string("string with\0NUL", 15), "string view",
                                   "string /var/log"}));
  EXPECT_EQ(last_format(), "{}{}{}\"{}\"");
  const char* const null = nullptr;
  RS_STREAM(INFO) << null << std::string_view() << reinterpret_cast<const unsigned char*>("bytes");
  EXPECT_EQ(last_values(), (Values{"string (null)", "string ", "string bytes"}));
  char buffer[4] = {'a', 'b', 'c', 'd'};
  RS_STREAM(INFO) << "a buffer without an end: " << buffer;
  EXPECT_EQ(last_values(), (Values{"string abcd"}));
  // NOLINTNEXTLINE(bugprone-string-literal-with-embedded-nul)
  RS_STREAM(INFO) << "a literal\0with a NUL";
  EXPECT_EQ(last_format(), "a literal");
  RS_STREAM(INFO) << "a point: " << streamed(Point{1, -2});
  EXPECT_EQ(last_values(), (Values{"string (1|-2)"}));
}

PROCESS_TEST(StreamRecord, TakesBitFieldsPackedMembersAndConstantsWithoutDefinition) {
  Order order{};
  order.kind = 5;
  const Packed packed{'f', 1LL << 40U};
  const volatile int shared = 3;
  RS_STREAM(INFO) << order.kind << packed.value << Undefined::kValue << shared;
  EXPECT_EQ(last_values(), (Values{"u32 5", "i64 1099511627776", "i32 4", "i32 3"}));
}

PROCESS_TEST(StreamRecord, NumbersItsFields) {
  RS_STREAM(INFO) << "a " << 1 << " b " << 2;
  const Site site = last_site();
  ASSERT_EQ(site.fields.size(), 2U);
  EXPECT_EQ(site.fields[0].name, "arg1");
  EXPECT_EQ(site.fields[1].name, "arg2");
}

PROCESS_TEST(StreamRecord, HasALevelEachAndTakesNoOperand) {
  RS_STREAM(TRACE);
  EXPECT_EQ(last_format(), "");
  RS_STREAM(TRACE) << "t";
  EXPECT_EQ(last_site().level, shm::Level{RS_LEVEL_TRACE});
  RS_STREAM(CRITICAL) << "c";
  EXPECT_EQ(last_site().level, shm::Level{RS_LEVEL_CRITICAL});
  EXPECT_EQ(last_site().function, "StreamRecord_HasALevelEachAndTakesNoOperand_body");
}

PROCESS_TEST(StreamRecord, WorksAsTheBodyOfIfAndElse) {
  int elses = 0;
  for (const bool yes : {true, false}) {
    if (yes) RS_STREAM(INFO) << "then";
    if (yes)
      RS_STREAM(INFO) << "then";
    else
      ++elses;
    if (yes)
      ++elses;
    else
      RS_STREAM(INFO) << "else";
  }
  EXPECT_EQ(record_count(), 3U);
  EXPECT_EQ(elses, 2);
}

PROCESS_TEST(StreamRecord, EvaluatesOperandsOnlyWhileEnabled) {
  int evaluated = 0;
  for (const Level level : {Level::warning, Level::info, Level::warning}) {
    set_level(level);
    RS_STREAM(INFO) << "evaluated " << ++evaluated;
  }
  EXPECT_EQ(evaluated, 1);
}

PROCESS_TEST(StreamRecord, HasGates) {
  int evaluated = 0;
  for (int i = 0; i < 10; ++i) {
    RS_EVERY_N(5, RS_STREAM(INFO) << "every five " << i << ++evaluated);
    if (i > 0) RS_ONCE(RS_STREAM(INFO) << "once " << ++evaluated);
  }
  EXPECT_EQ(record_count(), 3U);
  EXPECT_EQ(evaluated, 3);
  SegmentReader& segment = own_segment();
  EXPECT_EQ(segment.executions(segment.site("once {}").id).suppressed, 8U);
}

PROCESS_TEST(StreamRecord, HasCategoriesAndALowestLevel) {
  int evaluated = 0;
  RS_WITH_CATEGORY("net", RS_WITH_KEYWORDS(6, RS_STREAM(INFO) << "categorised " << ++evaluated));
  EXPECT_EQ(last_site().category, "net");
#define RS_MIN_LEVEL RS_LEVEL_WARNING
  RS_STREAM(INFO) << "removed " << ++evaluated;
  RS_STREAM(WARNING) << "kept " << ++evaluated;
#undef RS_MIN_LEVEL
  EXPECT_EQ(evaluated, 2);
  EXPECT_EQ(record_count(), 2U);
}

template <class T>
void log_twice(T value) {
  RS_STREAM(INFO) << "template " << value;
  [&](auto inner) { RS_STREAM(INFO) << "generic lambda " << inner << value; }(value);
}

PROCESS_TEST(StreamRecord, OneStatementPerTemplateInstance) {
  log_twice(1);
  log_twice(2L);
  log_twice(3);
  EXPECT_EQ(own_segment().count_sites("template {}"), 2U);
  EXPECT_EQ(own_segment().count_sites("generic lambda {}{}"), 2U);
  EXPECT_EQ(record_count(), 6U);
}

PROCESS_TEST(StreamRecord, OneStatementForAnInlineFunctionInTwoTranslationUnits) {
  stream_from_header(1);
  stream_from_other_unit(2);
  EXPECT_EQ(own_segment().count_sites("stream in a header {}"), 1U);
  EXPECT_EQ(last_values(), (Values{"i32 2"}));
  EXPECT_EQ(record_count(), 2U);
}

void choose(bool first) {
  RS_STREAM(INFO) << "answer: " << (first ? "yes" : "no!") << ", " << 7;
}

PROCESS_TEST(StreamRecord, RecordsTextsThatVary) {
  choose(true);
  EXPECT_EQ(last_format(), "answer: yes, {}");
  EXPECT_EQ(last_values(), (Values{"i32 7"}));
  for (int i = 0; i < 3; ++i) {
    choose(false);
    EXPECT_EQ(last_format(), "{}{}{}{}");
    EXPECT_EQ(last_values(), (Values{"string answer: ", "string no!", "string , ", "i32 7"}));
  }
  choose(true);
  EXPECT_EQ(last_values(), (Values{"i32 7"}));
  const Site varying = own_segment().site("{}{}{}{}");
  ASSERT_EQ(varying.fields.size(), 4U);
  EXPECT_EQ(varying.fields[1].name, "text2");
  EXPECT_EQ(varying.fields[3].name, "arg1");
}

void log_constant_array(char letter) {
  const char array[] = {letter, 'b', '\0', 'x'};
  RS_STREAM(INFO) << "array: " << array;
}

PROCESS_TEST(StreamRecord, RecordsConstantArraysOnTheStackByValue) {
  for (const char letter : {'a', 'c'}) {
    log_constant_array(letter);
    EXPECT_EQ(last_values(), (Values{"string array: ", std::string("string ") + letter + "b"}));
  }
  const char unterminated[] = {'a', 'b'};
  RS_STREAM(INFO) << unterminated;
  EXPECT_EQ(last_values(), (Values{"string ab"}));
}

PROCESS_TEST(StreamRecord, DoesNotReadTextsOfOtherObjectsLater) {
  static const char* const kOutside = static_cast<const char*>(std::calloc(1, 8));
  RS_STREAM(INFO) << "outside: " << reinterpret_cast<const char(&)[8]>(*kOutside);
  EXPECT_EQ(last_values(), (Values{"string outside: ", "string "}));
}

void log_listed() {
  RS_STREAM(WARNING) << "listed " << 1;
}

std::vector<Site> sites_at(std::uint32_t line) {
  std::vector<Site> found;
  for (const auto& [id, site] : own_segment().sites()) {
    if (site.line == line && site.file.find("stream_record_test") != std::string::npos)
      found.push_back(site);
  }
  return found;
}

constexpr std::uint32_t kLineOfListed = __LINE__ - 12;

PROCESS_TEST(StreamRecord, IsListedByItsPlaceBeforeItsFirstExecution) {
  init(Options{});
  std::vector<Site> listed = sites_at(kLineOfListed);
  ASSERT_EQ(listed.size(), 1U);
  EXPECT_EQ(listed[0].format, kUnknownText);
  EXPECT_EQ(listed[0].function, "log_listed");
  EXPECT_EQ(listed[0].level, shm::Level{RS_LEVEL_WARNING});
  EXPECT_TRUE(listed[0].fields.empty());
  log_listed();
  log_listed();
  listed = sites_at(kLineOfListed);
  ASSERT_EQ(listed.size(), 2U);
  EXPECT_EQ(listed[1].format, "listed {}");
  EXPECT_EQ(record_count(), 2U);
}

PROCESS_TEST(StreamRecord, CanBeSwitchedBeforeItsFirstExecution) {
  init(Options{});
  SegmentReader& segment = own_segment();
  const std::uint32_t before = sites_at(kLineOfListed).at(0).id;
  segment.set_site_switch(before, shm::kSwitchOff);
  log_listed();
  EXPECT_EQ(sites_at(kLineOfListed).size(), 1U);
  segment.set_site_switch(before, shm::kSwitchCounting);
  log_listed();
  EXPECT_EQ(segment.executions(before).counted, 1U);
  set_level(Level::off);
  segment.set_site_switch(before, shm::kSwitchOn);
  log_listed();
  log_listed();
  EXPECT_EQ(record_count(), 2U) << "it keeps the switch that a tool has set";
  segment.set_site_switch(segment.site("listed {}").id, shm::kSwitchOff);
  log_listed();
  EXPECT_EQ(record_count(), 2U);
}

PROCESS_TEST(StreamRecord, ForksBeforeAndAfterTheFirstExecution) {
  const auto log_and_check = [] {
    choose(true);
    choose(false);
    SegmentReader segment(status().segment_path);
    const std::vector<Record> data = segment.data(segment.my_ring());
    ASSERT_GE(data.size(), 2U);
    EXPECT_EQ(segment.sites().at(data.end()[-2].code).format, "answer: yes, {}");
    EXPECT_EQ(data.back().values, (Values{"string answer: ", "string no!", "string , ", "i32 7"}));
  };
  init(Options{});
  EXPECT_EQ(run_child(log_and_check), 0);
  log_and_check();
  EXPECT_EQ(run_child(log_and_check), 0);
}

void log_in_turns(int number) {
  RS_STREAM(INFO) << "thread " << number << (number % 2 == 0 ? " even" : " odd!");
}

PROCESS_TEST(StreamRecord, ThreadsRaceForTheFirstExecution) {
  constexpr int kThreads = 8;
  std::atomic<int> ready{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&ready, i] {
      preallocate();
      ++ready;
      while (ready < kThreads) std::this_thread::yield();
      for (int k = 0; k < 50; ++k) log_in_turns(i);
    });
  }
  for (std::thread& thread : threads) thread.join();
  SegmentReader& segment = own_segment();
  std::size_t records = 0;
  for (std::uint32_t ring = 0; ring < segment.rings_used(); ++ring) {
    for (const Record& record : segment.data(ring)) {
      const Site& site = segment.sites().at(record.code);
      ASSERT_EQ(record.values.size(), site.fields.size());
      ASSERT_NE(site.format, kUnknownText);
      const std::string number = record.values.at(site.fields.size() == 1 ? 0 : 1);
      const bool is_even = (number.back() - '0') % 2 == 0;
      const std::string text = site.fields.size() == 1 ? site.format : record.values.at(2);
      EXPECT_NE(text.find(is_even ? "even" : "odd!"), std::string::npos);
      ++records;
    }
  }
  EXPECT_EQ(records, std::size_t{50} * kThreads);
}

PROCESS_TEST(StreamRecord, FirstExecutionInASignalHandler) {
  init(Options{});
  in_handler([] { RS_STREAM(INFO) << "in a handler " << 1; });
  EXPECT_EQ(last_format(), "in a handler {}");
  EXPECT_EQ(last_values(), (Values{"i32 1"}));
}

PROCESS_TEST(StreamRecord, CutsTextsThatAreTooLong) {
  const std::string text(std::size_t{1} << 20U, 'x');
  RS_STREAM(INFO) << "long " << text << 5;
  const Record record = own_segment().data(own_segment().my_ring()).back();
  EXPECT_TRUE(record.is_cut());
  EXPECT_EQ(record.values.at(1), "i32 5");
}

PROCESS_TEST(StreamRecord, CountsALossIfItsTextIsTooLong) {
  static const char kLong[std::size_t{40} << 10U] = {'{'};
  static const char kBraces[] = {
#define BRACES_8 '{', '{', '{', '{', '{', '{', '{', '{'
#define BRACES_64 BRACES_8, BRACES_8, BRACES_8, BRACES_8, BRACES_8, BRACES_8, BRACES_8, BRACES_8
#define BRACES_512 \
  BRACES_64, BRACES_64, BRACES_64, BRACES_64, BRACES_64, BRACES_64, BRACES_64, BRACES_64
#define BRACES_4096 \
  BRACES_512, BRACES_512, BRACES_512, BRACES_512, BRACES_512, BRACES_512, BRACES_512, BRACES_512
      BRACES_4096, BRACES_4096, BRACES_4096, BRACES_4096,
      BRACES_4096, BRACES_4096, BRACES_4096, BRACES_4096};
  RS_STREAM(INFO) << kLong << "a text with NULs ends at the first one";
  EXPECT_EQ(losses(), 0U);
  RS_STREAM(INFO) << kBraces;
  EXPECT_EQ(losses(LossCause::dictionary_full), 1U);
  RS_STREAM(INFO) << "later ones are recorded";
  EXPECT_EQ(record_count(), 2U);
}

}  // namespace
}  // namespace ringside::test
