// Statements whose level is only known when they run.

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "libagent/include/ringside/ringside.hpp"
#include "shm-layout/site_switch.hpp"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_reader.hpp"

namespace ringside::test {
namespace {

// The statements with a format, by level.
std::map<shm::Level, Site> levels_of(const std::string& format) {
  std::map<shm::Level, Site> found;
  for (const auto& [id, site] : own_segment().sites()) {
    if (site.format != format) continue;
    EXPECT_TRUE(found.emplace(site.level, site).second) << "twice at one level";
  }
  return found;
}

std::vector<std::string> values_of(std::uint32_t id) {
  std::vector<std::string> all;
  for (std::uint32_t ring = 0; ring < own_segment().rings_used(); ++ring) {
    for (const Record& r : own_segment().data(ring)) {
      if (r.code == id) all.push_back(r.values.at(0));
    }
  }
  return all;
}

template <class T>
void log_at(T level, int value) {
  RS_LOG(level, "at %d", value);
}

PROCESS_TEST(LevelArgument, IsThatOfTheRecordsStatement) {
  for (int level = RS_LEVEL_TRACE; level <= RS_LEVEL_CRITICAL; ++level) log_at(level, level);
  log_at(RS_LEVEL_INFO + 0, 30);
  const auto sites = levels_of("at %d");
  ASSERT_EQ(sites.size(), 7U);
  for (const auto& [level, site] : sites) {
    const int number = static_cast<int>(level);
    std::vector<std::string> expected{"i32 " + std::to_string(number)};
    if (number == RS_LEVEL_INFO) expected.emplace_back("i32 30");
    EXPECT_EQ(values_of(site.id), expected);
    EXPECT_EQ(site.line, sites.begin()->second.line);
    EXPECT_EQ(site.fields.at(0).name, "value");
  }
}

PROCESS_TEST(LevelArgument, IsRegisteredWithItsFirstExecution) {
  RS_INFO("creates the segment");
  EXPECT_EQ(levels_of("at %d").size(), 0U);
  log_at(RS_LEVEL_ERROR + 0, 1);
  const auto sites = levels_of("at %d");
  ASSERT_EQ(sites.size(), 1U);
  EXPECT_EQ(sites.begin()->first, shm::Level::kError);
}

PROCESS_TEST(LevelArgument, OutOfRangeIsTheNearestLevel) {
  log_at(0, 1);
  log_at(-5, 2);
  log_at(std::numeric_limits<long long>::min(), 3);
  log_at(static_cast<int>(RS_LEVEL_OFF), 4);
  log_at(std::numeric_limits<std::uint64_t>::max(), 5);
  log_at(static_cast<rs_level>(15), 6);
  log_at(false, 7);
  log_at('x', 8);
  std::vector<std::string> lowest;
  std::vector<std::string> highest;
  for (const auto& [id, site] : own_segment().sites()) {
    if (site.format != "at %d") continue;
    EXPECT_TRUE(site.level == shm::Level::kTrace || site.level == shm::Level::kCritical);
    auto& all = site.level == shm::Level::kTrace ? lowest : highest;
    for (const std::string& value : values_of(id)) all.push_back(value);
  }
  EXPECT_EQ(lowest.size(), 4U);
  EXPECT_EQ(highest.size(), 4U);
  // Constants too.
  RS_LOG(0, "constant below");
  RS_LOG(RS_LEVEL_OFF, "constant above");
  EXPECT_EQ(own_segment().site("constant below").level, shm::Level::kTrace);
  EXPECT_EQ(own_segment().site("constant above").level, shm::Level::kCritical);
}

PROCESS_TEST(LevelArgument, TakesTheLevelsOfBothInterfaces) {
  for (const Level level : {Level::debug, Level::critical}) RS_LOG(level, "class");
  for (const rs_level level : {RS_LEVEL_TRACE, RS_LEVEL_NOTICE}) RS_LOG(level, "c");
  EXPECT_EQ(levels_of("class").begin()->first, shm::Level::kDebug);
  EXPECT_EQ(levels_of("class").rbegin()->first, shm::Level::kCritical);
  EXPECT_EQ(levels_of("c").begin()->first, shm::Level::kTrace);
  EXPECT_EQ(levels_of("c").rbegin()->first, shm::Level::kNotice);
}

// A constant costs what it costs in RS_INFO: one statement, entered when the program is loaded.
void log_constants() {
  constexpr rs_level kLevel = RS_LEVEL_WARNING;
  const int local = RS_LEVEL_ERROR;
  RS_LOG(kLevel, "constant %d", 1);
  RS_LOG(Level::notice, "constant class %d", 1);
  RS_LOG(local + 1, "constant sum %d", 1);
}

PROCESS_TEST(LevelArgument, AConstantIsOneStatement) {
  RS_INFO("creates the segment");
  EXPECT_EQ(levels_of("constant %d").count(shm::Level::kWarning), 1U);
  EXPECT_EQ(levels_of("constant class %d").count(shm::Level::kNotice), 1U);
  EXPECT_EQ(levels_of("constant sum %d").count(shm::Level::kCritical), 1U);
  log_constants();
  EXPECT_EQ(levels_of("constant %d").size(), 1U);
  EXPECT_EQ(own_segment().data(own_segment().my_ring()).size(), 4U);
}

PROCESS_TEST(LevelArgument, IsComparedWithTheThreshold) {
  set_level(Level::warning);
  for (int level = RS_LEVEL_TRACE; level <= RS_LEVEL_CRITICAL; ++level) log_at(level, level);
  EXPECT_EQ(own_segment().data(own_segment().my_ring()).size(), 3U);
  set_level(Level::trace);
  for (int level = RS_LEVEL_TRACE; level <= RS_LEVEL_CRITICAL; ++level) log_at(level, level);
  EXPECT_EQ(own_segment().data(own_segment().my_ring()).size(), 10U);
}

PROCESS_TEST(LevelArgument, SwitchesAreThoseOfOneLevel) {
  for (int level = RS_LEVEL_TRACE; level <= RS_LEVEL_CRITICAL; ++level) log_at(level, 0);
  const auto sites = levels_of("at %d");
  own_segment().set_site_switch(sites.at(shm::Level::kInfo).id, shm::kSwitchOff);
  own_segment().set_site_switch(sites.at(shm::Level::kError).id, shm::kSwitchCounting);
  for (int level = RS_LEVEL_TRACE; level <= RS_LEVEL_CRITICAL; ++level) log_at(level, 1);
  EXPECT_EQ(values_of(sites.at(shm::Level::kInfo).id).size(), 1U);
  EXPECT_EQ(values_of(sites.at(shm::Level::kError).id).size(), 1U);
  EXPECT_EQ(own_segment().executions(sites.at(shm::Level::kError).id).counted, 1U);
  EXPECT_EQ(values_of(sites.at(shm::Level::kTrace).id).size(), 2U);
}

PROCESS_TEST(LevelArgument, IsEvaluatedOnce) {
  int level = RS_LEVEL_DEBUG;
  int value = 0;
  RS_LOG(level++, "evaluated %d", ++value);
  EXPECT_EQ(level, RS_LEVEL_INFO + 0);
  set_level(Level::off);
  RS_LOG(level++, "evaluated %d", ++value);
  EXPECT_EQ(level, RS_LEVEL_NOTICE + 0);
  EXPECT_EQ(value, 1) << "arguments of a disabled execution";
}

PROCESS_TEST(LevelArgument, WorksWithGatesAndCategories) {
  for (int i = 0; i < 6; ++i) {
    const int level = i % 2 == 0 ? RS_LEVEL_INFO : RS_LEVEL_ERROR;
    RS_EVERY_N(3, RS_LOG(level, "gated %d", i));
    RS_WITH_CATEGORY("net", RS_WITH_KEYWORDS(5, RS_LOG(level, "of net %d", i)));
  }
  const auto gated = levels_of("gated %d");
  ASSERT_EQ(gated.size(), 2U);
  EXPECT_EQ(values_of(gated.at(shm::Level::kInfo).id), (std::vector<std::string>{"i32 0"}));
  EXPECT_EQ(values_of(gated.at(shm::Level::kError).id), (std::vector<std::string>{"i32 3"}));
  EXPECT_EQ(own_segment().executions(gated.at(shm::Level::kInfo).id).suppressed, 2U);
  EXPECT_EQ(own_segment().executions(gated.at(shm::Level::kError).id).suppressed, 2U);
  for (const auto& [level, site] : levels_of("of net %d")) {
    EXPECT_EQ(site.category, "net");
    EXPECT_EQ(site.keywords, 5U);
  }
}

#define RS_MIN_LEVEL RS_LEVEL_NOTICE
PROCESS_TEST(LevelArgument, BelowTheLowestIsIgnored) {
  int evaluated = 0;
  for (int level = RS_LEVEL_TRACE; level <= RS_LEVEL_CRITICAL; ++level) {
    RS_LOG(level, "lowest %d", ++evaluated);
  }
  RS_LOG(RS_LEVEL_INFO, "removed %d", ++evaluated);
  EXPECT_EQ(evaluated, 4);
  EXPECT_EQ(levels_of("lowest %d").size(), 4U);
  EXPECT_EQ(levels_of("removed %d").size(), 0U);
}
#undef RS_MIN_LEVEL

PROCESS_TEST(LevelArgument, TheConsumersClockIsThatOfEachLevel) {
  for (const rs_level level : {RS_LEVEL_INFO, RS_LEVEL_ERROR}) {
    RS_LOG_CONSUMER_CLOCK(level, "no clock");
  }
  for (const auto& [level, site] : levels_of("no clock")) {
    EXPECT_EQ(site.flags & shm::kSiteConsumerClock, shm::kSiteConsumerClock);
  }
  EXPECT_EQ(levels_of("no clock").size(), 2U);
}

PROCESS_TEST(LevelArgument, IsRegisteredOnceByManyThreads) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([] {
      for (int i = 0; i < 700; ++i) log_at(RS_LEVEL_TRACE + i % 7, i);
    });
  }
  for (std::thread& thread : threads) thread.join();
  const auto sites = levels_of("at %d");
  EXPECT_EQ(sites.size(), 7U);
  for (const auto& [level, site] : sites) EXPECT_EQ(values_of(site.id).size(), 400U);
}

PROCESS_TEST(LevelArgument, AChildRegistersItsOwn) {
  log_at(RS_LEVEL_INFO + 0, 1);
  EXPECT_EQ(run_child([] {
              log_at(RS_LEVEL_INFO + 0, 2);
              log_at(RS_LEVEL_ERROR + 0, 3);
              EXPECT_EQ(levels_of("at %d").size(), 2U);
            }),
            0);
  EXPECT_EQ(levels_of("at %d").size(), 1U);
}

}  // namespace
}  // namespace ringside::test
