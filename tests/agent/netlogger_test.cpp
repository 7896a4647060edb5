// The NetLogger call: how it parses its texts, and what it records.

#include "libagent/include/ringside/netlogger.h"

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdint>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "libagent/description/statement_texts.hpp"
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

void cpp_debug(int number) {
  RS_NETLOGGER_WRITE("cpp.debug", "LVL=debug", "Var1=%d", number);
}

void cpp_usage(int number) {
  RS_NETLOGGER_WRITE("cpp.usage", "LVL=Usage", "Var1=%d", number);
}

PROCESS_TEST(Netlogger, TheConstantLvlIsTheLevelOfTheStatement) {
  set_level(Level::warning);
  rs_netlogger* const handle = rs_netlogger_open();
  for (int i = 0; i < 3; ++i) {
    c_netlogger_error(i);
    cpp_debug(i);
    cpp_usage(i);
    rs_netlogger_write(handle, "handle.alert", "LVL=\"Alert\"", "Var1=%d", i);
    rs_netlogger_write(handle, "handle.none", "LVL=None", "Var1=%d", i);
  }
  EXPECT_EQ(recorded().size(), 6U);
  rs_netlogger_close(handle);
  const auto level_of = [](const char* event) { return own_segment().site(event).level; };
  EXPECT_EQ(level_of("c.error"), shm::Level::kError);
  EXPECT_EQ(level_of("cpp.debug"), shm::Level::kDebug);
  EXPECT_EQ(level_of("cpp.usage"), shm::Level::kInfo);
  EXPECT_EQ(level_of("handle.alert"), shm::Level::kCritical);
  EXPECT_EQ(level_of("handle.none"), shm::Level::kInfo);
  // As written, so that an export has the service's own word.
  EXPECT_EQ(fields_of(own_segment().site("c.error")),
            (Values{"Const1: i32 3", "LVL: string Error", "Var1: i32"}));
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

[[gnu::format(printf, 2, 3)]] void write_list(rs_netlogger* handle, const char* variables, ...) {
  va_list values;
  va_start(values, variables);
  rs_netlogger_vwrite(handle, "disk.read", "", variables, values);
  va_end(values);
}

PROCESS_TEST(Netlogger, TakesAListOfArguments) {
  rs_netlogger* const handle = rs_netlogger_open();
  write_list(handle, "A=%d B=%f C=%s D=%lld", 7, 0.5, "seven", -7LL);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-zero-length"
  write_list(handle, "");
#pragma GCC diagnostic pop
  write_list(nullptr, "A=%d", 7);
  rs_netlogger_close(handle);
  EXPECT_EQ(recorded(), (std::vector<Values>{{"i32 7", "f64 0.5", "string seven", "i64 -7"}, {}}));
}

rs_value integer_value(rs_value_type type, std::int64_t integer) {
  rs_value value{};
  value.type = type;
  value.integer = integer;
  return value;
}

rs_value number_value(rs_value_type type, double number) {
  rs_value value{};
  value.type = type;
  value.number = number;
  return value;
}

rs_value text_value(const char* text, std::uint64_t bytes) {
  rs_value value{};
  value.type = RS_VALUE_TEXT;
  value.data = text;
  value.bytes = bytes;
  return value;
}

PROCESS_TEST(Netlogger, TakesAnArrayOfValues) {
  rs_netlogger* const handle = rs_netlogger_open();
  const rs_value values[] = {integer_value(RS_VALUE_I64, -7), number_value(RS_VALUE_F32, 0.5),
                             text_value("seventy", 5), integer_value(RS_VALUE_U8, 200),
                             integer_value(RS_VALUE_U64, -1)};
  const auto write = [handle](const char* variables, const rs_value* given, std::uint32_t count) {
    return rs_netlogger_write_values(handle, "disk.read", "Mode=direct", variables, given, count);
  };
  EXPECT_EQ(write("A=%d B=%f C=%s D=%ld E=%lu", values, 5), 1);
  EXPECT_EQ(write("", nullptr, 0), 1);
  EXPECT_EQ(write("C=%.3s", &values[2], 1), 1);
  rs_netlogger_close(handle);
  EXPECT_EQ(recorded(), (std::vector<Values>{{"i32 -7", "f64 0.5", "string seven", "i64 200",
                                              "u64 18446744073709551615"},
                                             {},
                                             {"string sev"}}));
}

PROCESS_TEST(Netlogger, RefusesAnArrayThatDoesNotMatchTheVariables) {
  rs_netlogger* const handle = rs_netlogger_open();
  const auto write = [](rs_netlogger* to, const char* variables, const rs_value& value,
                        std::uint32_t count) {
    return rs_netlogger_write_values(to, "disk.read", "", variables, &value, count);
  };
  const rs_value seven = integer_value(RS_VALUE_I64, 7);
  const rs_value large = integer_value(RS_VALUE_U64, -1);
  rs_value unknown = seven;
  unknown.type = 77;
  EXPECT_EQ(write(handle, "A=%d", seven, 1), 1);
  EXPECT_EQ(write(handle, "A=%d", seven, 0), RS_REFUSED_COUNT);
  EXPECT_EQ(write(handle, "A=%d B=%d", seven, 1), RS_REFUSED_COUNT);
  EXPECT_EQ(write(handle, "A=%s", seven, 1), RS_REFUSED_VALUE);
  EXPECT_EQ(write(handle, "A=%f", seven, 1), RS_REFUSED_VALUE);
  EXPECT_EQ(write(handle, "A=%d", text_value("x", 1), 1), RS_REFUSED_VALUE);
  EXPECT_EQ(write(handle, "A=%d", integer_value(RS_VALUE_I64, INT64_C(1) << 31), 1),
            RS_REFUSED_VALUE);
  EXPECT_EQ(write(handle, "A=%d", large, 1), RS_REFUSED_VALUE);
  EXPECT_EQ(write(handle, "A=%ld", large, 1), RS_REFUSED_VALUE);
  EXPECT_EQ(write(handle, "A=%lu", integer_value(RS_VALUE_I8, -1), 1), RS_REFUSED_VALUE);
  EXPECT_EQ(write(handle, "A=%ls", text_value("x", 1), 1), RS_REFUSED_VALUE);
  EXPECT_EQ(write(handle, "A=%d", unknown, 1), RS_REFUSED_VALUE);
  EXPECT_EQ(rs_netlogger_write_values(handle, "disk.read", "", "A=%d", nullptr, 1),
            RS_REFUSED_POINTER);
  EXPECT_EQ(write(nullptr, "A=%d", seven, 1), RS_REFUSED_HANDLE);
  rs_netlogger_close(handle);
  EXPECT_EQ(recorded(), (std::vector<Values>{{"i32 7"}}));
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
