// The log macros of C++11 and C++14, in one process with those of C++20.

#include "tests/agent/older_statements.h"

#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "libagent/include/ringside/ringside.h"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_reader.hpp"

namespace ringside::test {
namespace {

using ValuesOfRecords = std::vector<std::vector<std::string>>;

ValuesOfRecords older_recorded() {
  ValuesOfRecords all;
  for (const Record& r : own_segment().data(0)) all.push_back(r.values);
  return all;
}

PROCESS_TEST(OlderStatements, KeepIntegers) {
  older_log_integers();
  EXPECT_EQ(older_recorded(),
            (ValuesOfRecords{{"u32 5", "i32 1", "i32 1", "char 99", "i16 -2", "u8 200"},
                             {"i64 -3", "u64 4", "i64 -5", "u64 6", "u64 1"},
                             {"u32 4294967295", "i32 -294967296"}}));
}

PROCESS_TEST(OlderStatements, KeepOtherTypes) {
  const char unterminated[] = {'a', 'b', 'c'};
  older_log_others(unterminated);
  EXPECT_EQ(older_recorded(), (ValuesOfRecords{{"f64 0.5", "f64 1.5", "f80 2.25", "pointer 0"},
                                               {"string buffer", "string abc", "i32 5", "i32 6",
                                                "i32 2", "string ab", "string wä"},
                                               {}}));
}

PROCESS_TEST(OlderStatements, WorkInLambdasAndTemplates) {
  older_log_everywhere(7);
  EXPECT_EQ(older_recorded(),
            (ValuesOfRecords{{"i32 7"}, {"i32 7"}, {"i32 7"}, {"i32 7"}, {"i32 7"}, {"i32 7"}}));
  EXPECT_EQ(own_segment().site("older error %d").level, shm::Level::kError);
  EXPECT_EQ(own_segment().site("older error %d").function, "older_log_everywhere");
  EXPECT_EQ(own_segment().site("older error %d").fields[0].name, "value");
  EXPECT_EQ(own_segment().site("older by the consumer %d").flags, shm::kSiteConsumerClock);
  EXPECT_EQ(own_segment().count_sites("older template %d"), 2U);
  EXPECT_EQ(own_segment().site("older.event").fields.at(0).constant, "i32 3");
}

PROCESS_TEST(OlderStatements, EvaluateArgumentsOnceOrNever) {
  int count = 0;
  EXPECT_EQ(older_log_counted(&count), 1);
  RS_INFO("c++20 beside it");
  set_level(Level::error);
  EXPECT_EQ(older_log_counted(&count), 1);
  EXPECT_EQ(segments_in(shm_dir()).size(), 1U);
  EXPECT_EQ(older_recorded().size(), 2U);
}

PROCESS_TEST(OlderStatements, AreListedBeforeTheyRun) {
  ASSERT_EQ(rs_init(), 1);
  const Site& site = own_segment().site("older never executed %d");
  EXPECT_EQ(site.level, shm::Level::kError);
  EXPECT_TRUE(site.file.ends_with("older_statements.cpp"));
  ASSERT_EQ(site.fields.size(), 1U);
  EXPECT_EQ(site.fields[0].type, shm::FieldType::i32);
}

PROCESS_TEST(OlderStatements, TakeNullAndLargeTexts) {
  setenv("RINGSIDE_RING_BYTES", "65536", 1);
  older_log_null(nullptr);
  older_log_large(std::string(100'000, 'c').c_str());
  older_log_thirty_two();
  const std::vector<Record> data = own_segment().data(0);
  ASSERT_EQ(data.size(), 3U);
  EXPECT_EQ(data[0].values[0], "string (null)");
  EXPECT_TRUE(data[1].is_cut());
  EXPECT_EQ(data[1].values[1], "i32 1");
  ASSERT_EQ(data[2].values.size(), 32U);
  EXPECT_EQ(data[2].values[31], "i32 32");
}

}  // namespace
}  // namespace ringside::test
