// What the functions of <ringside/runtime_statement.h> refuse.

#include <cstdint>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "libagent/include/ringside/ringside.h"
#include "tests/agent/process_test.hpp"
#include "tests/agent/runtime_calls.hpp"
#include "tests/agent/segment_reader.hpp"

namespace ringside::test {
namespace {

PROCESS_TEST(RuntimeRefusal, RefusesMoreThanTheProcessMayHave) {
  std::int32_t handle = 0;
  for (int i = 0; i < 4096; ++i) {
    const std::int32_t next = registered(RS_FORMAT_EVENT, "event" + std::to_string(i), "", {});
    ASSERT_GT(next, handle);
    handle = next;
  }
  EXPECT_EQ(registered(RS_FORMAT_EVENT, "one more", "", {}), RS_REFUSED_CAPACITY);
  EXPECT_EQ(registered(RS_FORMAT_EVENT, "event4095", "", {}), handle);
  EXPECT_EQ(rs_statement_record(handle, nullptr, 0), 1);
  EXPECT_EQ(rs_statement_record(handle + 1, nullptr, 0), RS_REFUSED_HANDLE);
  RS_INFO("a statement of the service");
  EXPECT_EQ(own_segment().data(0).size(), 2U);
  EXPECT_EQ(losses(LossCause::any), 0U);
}

PROCESS_TEST(RuntimeRefusal, RefusesInvalidStatements) {
  const FieldTypeCodes types{RS_VALUE_I32};
  const rs_runtime_statement valid = statement_of(RS_FORMAT_PRINTF, "%d", "x", types);
  const auto changed = [&valid](auto change) {
    rs_runtime_statement statement = valid;
    change(statement);
    return rs_statement_register(&statement);
  };
  using S = rs_runtime_statement;
  EXPECT_EQ(rs_statement_register(nullptr), RS_REFUSED_POINTER);
  EXPECT_EQ(changed([](S& s) { s.struct_bytes = 0; }), RS_REFUSED_STRUCT);
  EXPECT_EQ(changed([](S& s) { s.level = 0; }), RS_REFUSED_LEVEL);
  EXPECT_EQ(changed([](S& s) { s.level = RS_LEVEL_OFF; }), RS_REFUSED_LEVEL);
  EXPECT_EQ(changed([](S& s) { s.level = 0x103; }), RS_REFUSED_LEVEL);
  EXPECT_EQ(changed([](S& s) { s.style = 5; }), RS_REFUSED_STYLE);
  EXPECT_EQ(changed([](S& s) { s.format = nullptr; }), RS_REFUSED_POINTER);
  EXPECT_EQ(changed([](S& s) { s.names = nullptr; }), RS_REFUSED_POINTER);
  EXPECT_EQ(changed([](S& s) { s.types = nullptr; }), RS_REFUSED_POINTER);
  EXPECT_EQ(changed([](S& s) { s.category_bytes = 1; }), RS_REFUSED_POINTER);
  EXPECT_EQ(changed([](S& s) { s.file_bytes = UINT64_MAX; }), RS_REFUSED_POINTER);
  EXPECT_EQ(changed([](S& s) { s.format_bytes = UINT64_MAX; }), RS_REFUSED_TEXT);
  EXPECT_EQ(changed([](S& s) { s.type_count = UINT64_MAX; }), RS_REFUSED_TYPES);
  EXPECT_EQ(changed([](S& s) { s.type_count = RS_MAX_FIELDS + 1; }), RS_REFUSED_TYPES);
  EXPECT_EQ(changed([](S& s) {
              s.function = "a\0b";
              s.function_bytes = 3;
            }),
            RS_REFUSED_TEXT);
  const std::string longest(16384, 'x');
  EXPECT_EQ(changed([&longest](S& s) {
              s.category = longest.data();
              s.category_bytes = longest.size();
            }),
            RS_REFUSED_TEXT);
  EXPECT_GT(changed([](S&) {}), 0);
}

PROCESS_TEST(RuntimeRefusal, RefusesFormatsAndTypesThatDoNotFit) {
  for (const std::string_view format : {"%", "%n", "%y", "%s %", "%ls", "%lc"}) {
    EXPECT_EQ(registered(RS_FORMAT_PRINTF, format, "", {RS_VALUE_TEXT}), RS_REFUSED_FORMAT)
        << format;
  }
  EXPECT_EQ(registered(RS_FORMAT_PRINTF, "%d", "", {RS_VALUE_TEXT}), RS_REFUSED_TYPES);
  EXPECT_EQ(registered(RS_FORMAT_PRINTF, "%s", "", {RS_VALUE_I32}), RS_REFUSED_TYPES);
  EXPECT_EQ(registered(RS_FORMAT_PRINTF, "%d", "", {RS_VALUE_U32}), RS_REFUSED_TYPES);
  EXPECT_EQ(registered(RS_FORMAT_PRINTF, "%d", "", {}), RS_REFUSED_TYPES);
  EXPECT_EQ(registered(RS_FORMAT_PRINTF, "%*d", "", {RS_VALUE_I32}), RS_REFUSED_TYPES);
  EXPECT_EQ(registered(RS_FORMAT_PRINTF, "none", "", {RS_VALUE_I32}), RS_REFUSED_TYPES);
  for (const std::string_view format : {"{", "}", "{0:", "{:y}", "{x", "{other}", "{:.{}"}) {
    const std::int32_t result = registered(RS_FORMAT_BRACE, format, "x", {RS_VALUE_I32});
    EXPECT_TRUE(result == RS_REFUSED_FORMAT || result == RS_REFUSED_TYPES) << format << result;
  }
  EXPECT_EQ(registered(RS_FORMAT_BRACE, "{} {}", "", {RS_VALUE_I32}), RS_REFUSED_TYPES);
  EXPECT_EQ(registered(RS_FORMAT_BRACE, "{", "", {RS_VALUE_I32}), RS_REFUSED_FORMAT);
  EXPECT_EQ(registered(RS_FORMAT_BRACE, "{other}", "x", {RS_VALUE_I32}), RS_REFUSED_FORMAT);
  EXPECT_EQ(registered(RS_FORMAT_BRACE, "{:d}", "", {RS_VALUE_TEXT}), RS_REFUSED_TYPES);
  EXPECT_EQ(registered(RS_FORMAT_EVENT, "", "", {}), RS_REFUSED_FORMAT);
  for (const int type : {0, 7, 12, 15, 19, 20, 0x85, 255}) {
    EXPECT_EQ(registered(RS_FORMAT_EVENT, "e", "", {static_cast<std::uint8_t>(type)}),
              RS_REFUSED_TYPES);
  }
}

PROCESS_TEST(RuntimeRefusal, RefusesInvalidNames) {
  const std::string longest(1025, 'x');
  for (const std::string& names :
       std::vector<std::string>{"x,y", ",", " ", "a\"b", "a\\", "a\nb", "a\x7F", longest}) {
    EXPECT_EQ(registered(RS_FORMAT_EVENT, "e", names, {RS_VALUE_I32}), RS_REFUSED_NAMES) << names;
  }
  EXPECT_EQ(registered(RS_FORMAT_EVENT, "e", "x", {}), RS_REFUSED_NAMES);
  const std::string most(1024, 'y');
  ASSERT_GT(registered(RS_FORMAT_EVENT, "long", most, {RS_VALUE_I32}), 0);
  ASSERT_GT(registered(RS_FORMAT_EVENT, "odd", "a->b(c)[0],\xFF,a->b(c)[0]",
                       {RS_VALUE_I32, RS_VALUE_I32, RS_VALUE_I32}),
            0);
  ASSERT_EQ(rs_init(), 1);
  EXPECT_EQ(own_segment().site("long").fields[0].name, most);
  const std::vector<Field>& odd = own_segment().site("odd").fields;
  ASSERT_EQ(odd.size(), 3U);
  EXPECT_EQ(odd[0].name, "a->b(c)[0]");
  EXPECT_EQ(odd[1].name, "\xFF");
  EXPECT_EQ(odd[2].name, "a->b(c)[0]_2");
}

PROCESS_TEST(RuntimeRefusal, RefusesWrongValuesAndRecordsNothing) {
  const std::int32_t handle = registered(RS_FORMAT_EVENT, "two", "", {RS_VALUE_I32, RS_VALUE_TEXT});
  const rs_value seven = integer(RS_VALUE_I32, 7);
  ASSERT_EQ(record_values(handle, {seven, text("before")}), 1);
  for (const std::int32_t unknown : {0, -1, 4097, handle + 1, INT32_MAX, INT32_MIN}) {
    EXPECT_EQ(record_values(unknown, {seven, text("")}), RS_REFUSED_HANDLE);
  }
  EXPECT_EQ(record_values(handle, {}), RS_REFUSED_COUNT);
  EXPECT_EQ(record_values(handle, {seven}), RS_REFUSED_COUNT);
  EXPECT_EQ(record_values(handle, {seven, text(""), seven}), RS_REFUSED_COUNT);
  EXPECT_EQ(record_values(handle, std::vector<rs_value>(100'000, seven)), RS_REFUSED_COUNT);
  EXPECT_EQ(rs_statement_record(handle, nullptr, 2), RS_REFUSED_POINTER);
  EXPECT_EQ(record_values(handle, {text("7"), text("")}), RS_REFUSED_VALUE);
  EXPECT_EQ(record_values(handle, {seven, seven}), RS_REFUSED_VALUE);
  rs_value wrong = text("x");
  for (const std::uint64_t type : {std::uint64_t{0}, std::uint64_t{18}, std::uint64_t{19},
                                   (std::uint64_t{1} << 32) + RS_VALUE_TEXT, UINT64_MAX}) {
    wrong.type = type;
    EXPECT_EQ(record_values(handle, {seven, wrong}), RS_REFUSED_VALUE);
  }
  rs_value null_text = text("");
  null_text.data = nullptr;
  null_text.bytes = 1;
  EXPECT_EQ(record_values(handle, {seven, null_text}), RS_REFUSED_VALUE);
  null_text.bytes = 0;
  EXPECT_EQ(record_values(handle, {seven, null_text}), 1);
  EXPECT_EQ(recorded_values(),
            (std::vector<RecordValues>{{"i32 7", "string before"}, {"i32 7", "string "}}));
  EXPECT_EQ(losses(LossCause::any), 0U);
}

PROCESS_TEST(RuntimeRefusal, RefusesIntegersOutOfRange) {
  const struct {
    rs_value_type type;
    std::int64_t lowest;
    std::int64_t highest;
  } ranges[] = {
      {RS_VALUE_BOOLEAN, 0, 1},      {RS_VALUE_CHARACTER, -128, 255},      {RS_VALUE_I8, -128, 127},
      {RS_VALUE_I16, -32768, 32767}, {RS_VALUE_I32, INT32_MIN, INT32_MAX}, {RS_VALUE_U8, 0, 255},
      {RS_VALUE_U16, 0, 65535},      {RS_VALUE_U32, 0, UINT32_MAX}};
  for (const auto& [type, lowest, highest] : ranges) {
    const std::int32_t handle = one_field(type);
    EXPECT_EQ(record_values(handle, {integer(type, lowest)}), 1);
    EXPECT_EQ(record_values(handle, {integer(type, highest)}), 1);
    EXPECT_EQ(record_values(handle, {integer(type, lowest - 1)}), RS_REFUSED_VALUE);
    EXPECT_EQ(record_values(handle, {integer(type, highest + 1)}), RS_REFUSED_VALUE);
  }
  EXPECT_EQ(recorded_values().size(), 2 * std::size(ranges));
}

TEST(RuntimeRefusal, EachRefusalHasAText) {
  std::set<std::string> texts;
  for (std::int32_t refusal = RS_REFUSED_SPAN; refusal < 0; ++refusal) {
    texts.insert(rs_refusal_text(refusal));
  }
  EXPECT_EQ(texts.size(), 14U);
  EXPECT_FALSE(texts.contains(""));
  for (const std::int32_t other : {0, 1, -15, INT32_MIN}) EXPECT_STREQ(rs_refusal_text(other), "");
}

}  // namespace
}  // namespace ringside::test
