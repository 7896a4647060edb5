// The NetLogger call: how it parses its texts, and what it records.

#include "libagent/include/ringside/netlogger.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "libagent/statement_texts.hpp"
#include "shm-layout/field_type_name.hpp"
#include "tests/agent/netlogger_statements.h"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_reader.hpp"

namespace ringside::test {
namespace {

using Values = std::vector<std::string>;

// "name: constant", or "name: type" for a variable.
Values fields_of(const Site& site) {
  Values told;
  for (const Field& f : site.fields) {
    told.push_back(f.name + ": " +
                   (f.constant.empty() ? std::string(shm::name(f.type)) : f.constant));
  }
  return told;
}

std::vector<Values> recorded() {
  std::vector<Values> all;
  for (const Record& r : own_segment().data(0)) all.push_back(r.values);
  return all;
}

const Values kExample{"Const1: i32 3", "Const2: string Hello", "Var1: i32", "Var2: f64",
                      "Var3: string"};
const Values kExampleValues{"i32 7", "f64 0.5", "string seven"};

void cpp_write(int a, double b, const char* c) {
  RS_NETLOGGER_WRITE("cpp.event", "Const1=3 Const2=Hello", "Var1=%d Var2=%f Var3=%s", a, b, c);
}

void expect_example(const Site& site) {
  EXPECT_EQ(site.name, site.format);
  EXPECT_EQ(site.kind, shm::SiteKind::kEvent);
  EXPECT_EQ(site.level, shm::Level::kInfo);
  EXPECT_EQ(fields_of(site), kExample);
}

PROCESS_TEST(Netlogger, WritesConstantsOnceAndVariablesOfEachCallInCpp) {
  cpp_write(7, 0.5, "seven");
  cpp_write(8, -1.5, "");
  expect_example(own_segment().site("cpp.event"));
  EXPECT_TRUE(own_segment().site("cpp.event").file.ends_with("netlogger_test.cpp"));
  EXPECT_EQ(recorded(), (std::vector<Values>{kExampleValues, {"i32 8", "f64 -1.5", "string "}}));
  // Head, integer, double, length and text: neither names nor constants.
  EXPECT_EQ(own_segment().data(0)[1].bytes, 8U + 4 + 8 + 4);
}

PROCESS_TEST(Netlogger, WritesConstantsOnceAndVariablesOfEachCallInC) {
  c_netlogger_write(7, 0.5, "seven");
  c_netlogger_write(8, -1.5, "");
  expect_example(own_segment().site("c.event"));
  EXPECT_EQ(own_segment().site("c.event").function, "c_netlogger_write");
  EXPECT_EQ(recorded(), (std::vector<Values>{kExampleValues, {"i32 8", "f64 -1.5", "string "}}));
}

PROCESS_TEST(Netlogger, WritesConstantsOnceAndVariablesOfEachCallByAHandle) {
  rs_netlogger* const handle = rs_netlogger_open();
  ASSERT_NE(handle, nullptr);
  c_netlogger_handle_write(handle, 7, 0.5, "seven");
  c_netlogger_handle_write(handle, 8, -1.5, "");
  // Statements are the same if their texts are equal, wherever the texts are stored.
  std::string event = "c.event";
  const std::string constants = "Const1=3 Const2=Hello";
  const std::string variables = "Var1=%d Var2=%f Var3=%s";
  rs_netlogger_write(handle, event.c_str(), constants.c_str(), "Var1=%d Var2=%f Var3=%s", 9, 1.0,
                     "");
  event.assign(event.size(), 'x');
  EXPECT_EQ(own_segment().count_sites("c.event"),
            1U + 1U);  // the handle's statement and the macro's
  rs_netlogger_close(handle);
  EXPECT_EQ(recorded(),
            (std::vector<Values>{
                kExampleValues, {"i32 8", "f64 -1.5", "string "}, {"i32 9", "f64 1", "string "}}));
  EXPECT_EQ(losses(), 0U);
}

PROCESS_TEST(Netlogger, TakesEveryType) {
  const std::int64_t large = std::numeric_limits<std::int64_t>::min();
  const long double exact = 2.25L;
  RS_NETLOGGER_WRITE("cpp.types", "", "a=%hhd b=%hu c=%u d=%lld e=%zx f=%c g=%Lf h=%.2s i=%ls j=%p",
                     static_cast<signed char>(-1), static_cast<unsigned short>(2), 3U,
                     static_cast<long long>(large), std::size_t{5}, 'x', exact, "text", L"\u00e9",
                     nullptr);
  rs_netlogger* const handle = rs_netlogger_open();
  rs_netlogger_write(handle, "handle.types", "",
                     "a=%hhd b=%hu c=%u d=%lld e=%zx f=%c g=%Lf h=%.2s i=%ls j=%p",
                     static_cast<signed char>(-1), static_cast<unsigned short>(2), 3U,
                     static_cast<long long>(large), std::size_t{5}, 'x', exact, "text", L"\u00e9",
                     static_cast<void*>(nullptr));
  rs_netlogger_close(handle);
  const Values expected{"i8 -1",    "u16 2",    "u32 3",    "i64 -9223372036854775808",
                        "u64 5",    "char 120", "f80 2.25", "string te",
                        "string é", "pointer 0"};
  EXPECT_EQ(recorded(), (std::vector<Values>{expected, expected}));
}

PROCESS_TEST(Netlogger, ReadsNumbersOnlyWhereTheyComeBackAsTheyWere) {
  RS_NETLOGGER_WRITE("cpp.constants",
                     " a=-7  b=2147483648\tc=9223372036854775808 d=0.25 e=1e3 f=007 g=inf h=1e999"
                     " i=\"two words\" j=\"3\" k= l=a=b m=%d n=0 o=- ",
                     "");
  EXPECT_EQ(fields_of(own_segment().site("cpp.constants")),
            (Values{"a: i32 -7", "b: i64 2147483648", "c: string 9223372036854775808",
                    "d: f64 0.25", "e: f64 1000", "f: string 007", "g: string inf",
                    "h: string 1e999", "i: string two words", "j: string 3", "k: string ",
                    "l: string a=b", "m: string %d", "n: i32 0", "o: string -"}));
  EXPECT_EQ(recorded(), (std::vector<Values>{{}}));
}

PROCESS_TEST(Netlogger, TakesEmptyTexts) {
  c_netlogger_without_texts();
  RS_NETLOGGER_WRITE("cpp.bare", "", "");
  rs_netlogger* const handle = rs_netlogger_open();
  rs_netlogger_write(handle, "handle.bare", nullptr, " ");
  rs_netlogger_close(handle);
  EXPECT_EQ(recorded(), (std::vector<Values>{{}, {}, {}}));
}

PROCESS_TEST(Netlogger, CountsMalformedEventsAsLost) {
  c_netlogger_malformed(1);
  EXPECT_EQ(losses(LossCause::dictionary_full), 3U);
  rs_netlogger* const handle = rs_netlogger_open();
  rs_netlogger_write(handle, "event", "a=\"open", "Value=%d", 1);
  rs_netlogger_write(handle, "event", "", "Value=%*d", 1, 2);
  rs_netlogger_write(handle, "event", "", "%d", 1);
  rs_netlogger_write(nullptr, "event", "", "Value=%d", 1);
  rs_netlogger_close(handle);
  rs_netlogger_close(nullptr);
  EXPECT_EQ(losses(LossCause::dictionary_full), 6U);
  EXPECT_EQ(losses(LossCause::no_shared_memory), 1U);
  cpp_write(7, 0.5, "seven");
  EXPECT_EQ(recorded(), (std::vector<Values>{kExampleValues}));
}

PROCESS_TEST(Netlogger, RefusesMoreEventsThanAHandleHolds) {
  constexpr int kRoom = 4096;
  rs_netlogger* const handle = rs_netlogger_open();
  for (int i = 0; i < kRoom + 3; ++i) {
    rs_netlogger_write(handle, ("event" + std::to_string(i)).c_str(), "", "Value=%d", i);
  }
  EXPECT_EQ(losses(LossCause::dictionary_full), 3U);
  rs_netlogger_write(handle, "event0", "", "Value=%d", -1);
  EXPECT_EQ(last_values(), (Values{"i32 -1"}));
  rs_netlogger_close(handle);
}

PROCESS_TEST(Netlogger, TakesOneStatementForAllThreadsOfAHandle) {
  constexpr int kThreads = 4;
  constexpr int kEvents = 50;
  ASSERT_EQ(rs_init(), 1);
  const std::size_t before = own_segment().sites().size();
  rs_netlogger* const handle = rs_netlogger_open();
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([handle, t] {
      for (int i = 0; i < kEvents; ++i) {
        rs_netlogger_write(handle, ("event" + std::to_string(i)).c_str(), "c=1", "Value=%d", t);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  rs_netlogger_close(handle);
  EXPECT_EQ(own_segment().sites().size() - before, std::size_t{kEvents});
  std::size_t records = 0;
  for (std::uint32_t i = 0; i < own_segment().rings_used(); ++i) {
    records += own_segment().data(i).size();
  }
  EXPECT_EQ(records, std::size_t{kThreads} * kEvents);
}

PROCESS_TEST(Netlogger, IsListedAndSwitchedLikeOtherStatements) {
  ASSERT_EQ(rs_init(), 1);
  EXPECT_EQ(fields_of(own_segment().site("c.never")), (Values{"Value: i32"}));
  set_level(Level::error);
  rs_netlogger* const handle = rs_netlogger_open();
  cpp_write(1, 1, "");
  c_netlogger_write(1, 1, "");
  c_netlogger_handle_write(handle, 1, 1, "");
  set_level(Level::info);
  c_netlogger_handle_write(handle, 7, 0.5, "seven");
  rs_netlogger_close(handle);
  EXPECT_EQ(recorded(), (std::vector<Values>{kExampleValues}));
}

PROCESS_TEST(Netlogger, WorksInAForkedChild) {
  rs_netlogger* const handle = rs_netlogger_open();
  c_netlogger_handle_write(handle, 1, 1, "parent");
  EXPECT_EQ(run_child([handle] {
              c_netlogger_handle_write(handle, 7, 0.5, "seven");
              c_netlogger_write(7, 0.5, "seven");
              EXPECT_EQ(recorded(), (std::vector<Values>{kExampleValues, kExampleValues}));
            }),
            0);
  rs_netlogger_close(handle);
}

// The more statements share a bucket of the hash table, the more a call costs.
TEST(NetloggerHandle, StatementsThatDifferInOneTextSpreadOverTheBuckets) {
  constexpr int kStatements = 4096;
  for (std::size_t differs = 0; differs < 3; ++differs) {
    std::array<int, StatementTexts::kBuckets> chains{};
    for (int i = 0; i < kStatements; ++i) {
      std::array<std::string, 3> texts{"disk.read", "Device=3 Mode=direct", "Bytes=%d"};
      texts[differs] += std::to_string(i);
      ++chains[StatementTexts{texts[0], texts[1], texts[2]}.bucket()];
    }
    EXPECT_LE(*std::max_element(chains.begin(), chains.end()), 12) << differs;
  }
}

}  // namespace
}  // namespace ringside::test
