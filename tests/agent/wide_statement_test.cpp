// Statements with more fields than one has by hand: 255 are the most.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "libagent/include/ringside/adapt.hpp"
#include "libagent/include/ringside/event.hpp"
#include "libagent/include/ringside/format.hpp"
#include "libagent/include/ringside/ringside.hpp"
#include "libagent/include/ringside/runtime_statement.h"
#include "libagent/include/ringside/stream.hpp"
#include "tests/agent/process_test.hpp"
#include "tests/agent/repeated.h"
#include "tests/agent/segment_reader.hpp"
#include "tests/agent/wide_statements.h"

namespace ringside::test {
namespace {

struct Pair {
  int low, high;
};
RS_ADAPT(Pair, low, high)

// With the macros among its arguments expanded: the library sees each argument's text.
#define EXPANDED_EVENT(...) RS_EVENT(INFO, __VA_ARGS__)

// `count` values of 7, but the last.
std::vector<std::string> sevens(std::size_t count, const std::string& last) {
  std::vector<std::string> values(count, "i32 7");
  values.back() = last;
  return values;
}

std::uint64_t refused() {
  return own_segment().control().losses.dictionary_full.load();
}

std::int32_t registered(std::uint64_t count) {
  static const std::vector<std::uint8_t> types(300, 5);  // i32
  rs_runtime_statement statement{};
  statement.struct_bytes = sizeof statement;
  statement.format = "e";
  statement.format_bytes = 1;
  statement.types = types.data();
  statement.type_count = count;
  statement.level = RS_LEVEL_INFO;
  statement.style = RS_FORMAT_EVENT;
  return rs_statement_register(&statement);
}

std::int32_t recorded(std::int32_t handle, std::uint32_t count) {
  std::vector<rs_value> values(count);
  for (rs_value& value : values) {
    value.type = 5;
    value.integer = 7;
  }
  if (count != 0) values.back().integer = 8;
  return rs_statement_record(handle, values.data(), count);
}

PROCESS_TEST(WideStatement, RecordsEventsOfC) {
  c_event_of_64(7);
  EXPECT_EQ(last_values(), sevens(64, "i32 8"));
  c_event_of_65(7);
  EXPECT_EQ(last_values(), sevens(65, "i32 8"));
  c_event_of_254(7);
  EXPECT_EQ(last_values(), sevens(254, "i32 8"));
  c_event_of_255(7);
  EXPECT_EQ(last_values(), sevens(255, "i32 8"));
  EXPECT_EQ(own_segment().site("c.255").fields.size(), 255U);
}

PROCESS_TEST(WideStatement, RecordsMessagesOfC) {
  c_message_of_255(7, "text");
  const std::vector<std::string> values = last_values();
  ASSERT_EQ(values.size(), 255U);
  EXPECT_EQ(values[252], "i32 7");
  EXPECT_EQ(values[253], "string text");
  EXPECT_EQ(values[254], "string tex");
}

PROCESS_TEST(WideStatement, RecordsEventsAndMessagesOfCpp) {
  const int n = 7;
  RS_EVENT(INFO, "cpp.255", TIMES_254(n), RS_NAMED("last", std::string("end")));
  EXPECT_EQ(last_values(), sevens(255, "string end"));
  EXPECT_EQ(own_segment().site("cpp.255").fields.size(), 255U);
  RS_INFO(TEXT_127("%d") TEXT_63("%d") TEXT_63("%d") "%.*s", TIMES_253(n), 2, "text");
  EXPECT_EQ(last_values().size(), 255U);
  EXPECT_EQ(last_values().back(), "string te");
  RS_FMT(INFO, TEXT_254("{}") "{}", TIMES_254(n), "end");
  EXPECT_EQ(last_values(), sevens(255, "string end"));
}

PROCESS_TEST(WideStatement, KeepsLiteralsOfALateFieldInTheDictionary) {
  const int n = 7;
  // More arguments beside a literal take the compiler minutes: it reads the source text of each.
  EXPANDED_EVENT("literal", TIMES_63(n), n, n, "XETR");
  EXPECT_EQ(last_values(), std::vector<std::string>(65, "i32 7"));
  EXPECT_EQ(own_segment().site("literal").fields.at(65).constant, "string XETR");
}

PROCESS_TEST(WideStatement, CountsTheFieldsOfPartsAndOperands) {
  const int n = 7;
  const Pair pair{7, 7};
  // More of both take the compiler minutes.
  RS_EVENT(INFO, "parts", TIMES_7(pair), TIMES_63(n), 8U + static_cast<unsigned>(pair.low));
  EXPECT_EQ(last_values(), sevens(78, "u32 15"));
  RS_STREAM(INFO) << pair << pair << 8 << TEXT_63("text") << pair;
  EXPECT_EQ(last_values().size(), 7U);
}

PROCESS_TEST(WideStatement, GivesEqualArgumentsDifferentNames) {
  c_event_of_255(7);
  const Site& site = own_segment().site("c.255");
  std::vector<std::string> names;
  for (const Field& field : site.fields) names.push_back(field.name);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

PROCESS_TEST(WideStatement, IsRegisteredAtRunTimeUpTo255Fields) {
  const std::int32_t handle = registered(255);
  ASSERT_GT(handle, 0);
  EXPECT_EQ(recorded(handle, 255), 1);
  EXPECT_EQ(last_values(), sevens(255, "i32 8"));
  EXPECT_EQ(registered(256), RS_REFUSED_TYPES);
}

// An older consumer would quarantine the rings of all threads that execute it.
PROCESS_TEST(WideStatement, IsRefusedWhileTheConsumerIsOlder) {
  c_event_of_64(7);
  shm::ConsumerLine& consumer = own_segment().control().consumer;
  consumer.session.store(1);
  consumer.state.store(static_cast<std::uint32_t>(shm::ConsumerState::kPolling));
  // Statements in the source were registered with the segment.
  const std::int32_t handle = registered(65);
  recorded(handle, 65);
  recorded(handle, 65);
  EXPECT_EQ(refused(), 2U);
  EXPECT_NE(status().message.find("newer consumerd"), std::string::npos);
  c_event_of_64(7);
  EXPECT_EQ(last_values(), sevens(64, "i32 8"));
  EXPECT_EQ(own_segment().data(0).size(), 2U);

  consumer.wide_session.store(2);
  consumer.session.store(2);
  EXPECT_EQ(recorded(handle, 65), 1);
  EXPECT_EQ(last_values(), sevens(65, "i32 8"));
  EXPECT_EQ(refused(), 2U);
  EXPECT_EQ(status().message, "");
}

}  // namespace
}  // namespace ringside::test
