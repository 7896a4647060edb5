// Statements that are registered at run time, as foreign-function interfaces use them.

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>
#include <sys/mman.h>

#include "libagent/include/ringside/ringside.h"
#include "tests/agent/process_test.hpp"
#include "tests/agent/runtime_calls.hpp"
#include "tests/agent/segment_reader.hpp"

namespace ringside::test {
namespace {

// The last `bytes` of a page before one that cannot be read.
char* before_unreadable_memory(std::size_t bytes) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* const pages =
      mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  EXPECT_EQ(mprotect(static_cast<char*>(pages) + page, page, PROT_NONE), 0);
  return static_cast<char*>(pages) + page - bytes;
}

PROCESS_TEST(RuntimeStatement, RecordsAnEvent) {
  const FieldTypeCodes types{RS_VALUE_F64, RS_VALUE_U32, RS_VALUE_TEXT};
  rs_runtime_statement statement =
      statement_of(RS_FORMAT_EVENT, "order.fill", "px, qty,venue", types);
  statement.level = RS_LEVEL_WARNING;
  statement.line = 42;
  statement.keywords = 5;
  statement.category = "trading";
  statement.category_bytes = 5;  // not terminated
  statement.file = "book.py";
  statement.file_bytes = 7;
  statement.function = "on_fill";
  statement.function_bytes = 7;
  const std::int32_t handle = rs_statement_register(&statement);
  ASSERT_GT(handle, 0);
  EXPECT_EQ(
      record_values(handle, {number(RS_VALUE_F64, 100.25), integer(RS_VALUE_U32, 7), text("XETR")}),
      1);
  EXPECT_EQ(recorded_values(), (std::vector<RecordValues>{{"f64 100.25", "u32 7", "string XETR"}}));
  const Site& site = own_segment().site("order.fill");
  EXPECT_EQ(site.kind, shm::SiteKind::kEvent);
  EXPECT_EQ(site.name, "order.fill");
  EXPECT_EQ(site.level, shm::Level::kWarning);
  EXPECT_EQ(site.category, "tradi");
  EXPECT_EQ(site.keywords, 5U);
  EXPECT_EQ(site.file, "book.py");
  EXPECT_EQ(site.function, "on_fill");
  EXPECT_EQ(site.line, 42U);
  ASSERT_EQ(site.fields.size(), 3U);
  EXPECT_EQ(site.fields[0].name, "px");
  EXPECT_EQ(site.fields[1].name, "qty");
  EXPECT_EQ(site.fields[2].name, "venue");
}

PROCESS_TEST(RuntimeStatement, RecordsAllTypes) {
  const FieldTypeCodes types = {RS_VALUE_BOOLEAN, RS_VALUE_CHARACTER, RS_VALUE_I8,   RS_VALUE_I16,
                                RS_VALUE_I32,     RS_VALUE_I64,       RS_VALUE_U8,   RS_VALUE_U16,
                                RS_VALUE_U32,     RS_VALUE_U64,       RS_VALUE_F32,  RS_VALUE_F64,
                                RS_VALUE_POINTER, RS_VALUE_TEXT,      RS_VALUE_BYTES};
  const std::int32_t handle = registered(RS_FORMAT_EVENT, "all", "", types);
  ASSERT_GT(handle, 0);
  EXPECT_EQ(record_values(handle, {integer(RS_VALUE_BOOLEAN, 1), integer(RS_VALUE_CHARACTER, 'c'),
                                   integer(RS_VALUE_I8, -128), integer(RS_VALUE_I16, -32768),
                                   integer(RS_VALUE_I32, std::numeric_limits<std::int32_t>::min()),
                                   integer(RS_VALUE_I64, std::numeric_limits<std::int64_t>::min()),
                                   integer(RS_VALUE_U8, 255), integer(RS_VALUE_U16, 65535),
                                   integer(RS_VALUE_U32, 4294967295), integer(RS_VALUE_U64, -1),
                                   number(RS_VALUE_F32, 0.5), number(RS_VALUE_F64, -0.25),
                                   integer(RS_VALUE_POINTER, 0x10), text("text"),
                                   text("ab", RS_VALUE_BYTES)}),
            1);
  const RecordValues values = last_values();
  ASSERT_EQ(values.size(), types.size());
  EXPECT_EQ(RecordValues(values.begin(), values.end() - 1),
            (RecordValues{"bool 1", "char 99", "i8 -128", "i16 -32768", "i32 -2147483648",
                          "i64 -9223372036854775808", "u8 255", "u16 65535", "u32 4294967295",
                          "u64 18446744073709551615", "f32 0.5", "f64 -0.25", "pointer 0x10",
                          "string text"}));
  EXPECT_EQ(own_segment().site("all").fields[14].type, shm::FieldType::bytes);
  EXPECT_EQ(own_segment().site("all").fields[14].name, "arg15");
}

PROCESS_TEST(RuntimeStatement, RecordsMessagesOfBothStyles) {
  const std::int32_t printf_handle = registered(
      RS_FORMAT_PRINTF, "%s paid %*d, %.3s %.*s", "user,width,amount,cut,most,part",
      {RS_VALUE_TEXT, RS_VALUE_I32, RS_VALUE_I64, RS_VALUE_TEXT, RS_VALUE_I32, RS_VALUE_TEXT});
  ASSERT_GT(printf_handle, 0);
  EXPECT_EQ(
      record_values(printf_handle, {text("ann"), integer(RS_VALUE_I32, 9), integer(RS_VALUE_I64, 5),
                                    text("abcdef"), integer(RS_VALUE_I32, 2), text("xyz")}),
      1);
  EXPECT_EQ(
      record_values(printf_handle, {text("bob"), integer(RS_VALUE_I32, 9), integer(RS_VALUE_I64, 5),
                                    text(""), integer(RS_VALUE_I32, -1), text("xyz")}),
      1);
  const std::int32_t brace_handle = registered(RS_FORMAT_BRACE, "{user} paid {amount:.2f}",
                                               "amount,user", {RS_VALUE_F64, RS_VALUE_TEXT});
  ASSERT_GT(brace_handle, 0);
  EXPECT_EQ(record_values(brace_handle, {number(RS_VALUE_F64, 1.5), text("eve")}), 1);
  const std::int32_t bare = registered(RS_FORMAT_PRINTF, "100%%", "", {});
  ASSERT_GT(bare, 0);
  EXPECT_EQ(rs_statement_record(bare, nullptr, 0), 1);
  EXPECT_EQ(recorded_values(),
            (std::vector<RecordValues>{
                {"string ann", "i32 9", "i64 5", "string abc", "i32 2", "string xy"},
                {"string bob", "i32 9", "i64 5", "string ", "i32 -1", "string xyz"},
                {"f64 1.5", "string eve"},
                {}}));
}

PROCESS_TEST(RuntimeStatement, EqualStatementsHaveOneHandle) {
  const std::string format = "value";
  const std::string copy = std::string("val") + "ue";
  const std::int32_t handle = registered(RS_FORMAT_EVENT, format, "x", {RS_VALUE_I32});
  ASSERT_GT(handle, 0);
  ASSERT_EQ(rs_init(), 1);
  const std::size_t sites = own_segment().sites().size();
  const std::uint64_t bytes = own_segment().control().service.dictionary_committed_bytes.load();
  for (int i = 0; i < 1'000'000; ++i) {
    ASSERT_EQ(registered(RS_FORMAT_EVENT, copy, "x", {RS_VALUE_I32}), handle);
  }
  EXPECT_EQ(own_segment().sites().size(), sites);
  EXPECT_EQ(own_segment().control().service.dictionary_committed_bytes.load(), bytes);
  std::set<std::int32_t> others{handle};
  others.insert(registered(RS_FORMAT_EVENT, format, "y", {RS_VALUE_I32}));
  others.insert(registered(RS_FORMAT_EVENT, format, "x", {RS_VALUE_I64}));
  others.insert(registered(RS_FORMAT_EVENT, "value2", "x", {RS_VALUE_I32}));
  others.insert(registered(RS_FORMAT_BRACE, format, "x", {RS_VALUE_I32}));
  const FieldTypeCodes types{RS_VALUE_I32};
  rs_runtime_statement other = statement_of(RS_FORMAT_EVENT, format, "x", types);
  other.level = RS_LEVEL_ERROR;
  others.insert(rs_statement_register(&other));
  other.line = 1;
  others.insert(rs_statement_register(&other));
  other.keywords = 1;
  others.insert(rs_statement_register(&other));
  other.file = "x";
  other.file_bytes = 1;
  others.insert(rs_statement_register(&other));
  EXPECT_EQ(others.size(), 9U);
  EXPECT_GT(*others.begin(), 0);
}

PROCESS_TEST(RuntimeStatement, HandlesAreValidInAForkedChild) {
  const std::int32_t handle = registered(RS_FORMAT_EVENT, "forked", "x", {RS_VALUE_I32});
  ASSERT_EQ(record_values(handle, {integer(RS_VALUE_I32, 1)}), 1);
  EXPECT_EQ(run_child([handle] {
              EXPECT_EQ(record_values(handle, {integer(RS_VALUE_I32, 2)}), 1);
              EXPECT_EQ(registered(RS_FORMAT_EVENT, "forked", "x", {RS_VALUE_I32}), handle);
              EXPECT_EQ(recorded_values(), (std::vector<RecordValues>{{"i32 2"}}));
            }),
            0);
  EXPECT_EQ(recorded_values(), (std::vector<RecordValues>{{"i32 1"}}));
}

PROCESS_TEST(RuntimeStatement, ThreadsGetOneHandle) {
  constexpr int kStatements = 200;
  std::vector<std::vector<std::int32_t>> found(4);
  std::vector<std::thread> threads;
  for (std::vector<std::int32_t>& mine : found) {
    threads.emplace_back([&mine] {
      for (int i = 0; i < kStatements; ++i) {
        mine.push_back(registered(RS_FORMAT_EVENT, "e" + std::to_string(i), "", {RS_VALUE_I32}));
        EXPECT_EQ(record_values(mine.back(), {integer(RS_VALUE_I32, i)}), 1);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::vector<std::int32_t>& mine : found) EXPECT_EQ(mine, found[0]);
  EXPECT_EQ(std::set<std::int32_t>(found[0].begin(), found[0].end()).size(), 200U);
}

PROCESS_TEST(RuntimeStatement, IsSwitchedAsAnyStatement) {
  const std::int32_t handle = registered(RS_FORMAT_EVENT, "switched", "", {});
  ASSERT_EQ(rs_init(), 1);
  EXPECT_EQ(rs_statement_enabled(handle), 1);
  rs_set_level(RS_LEVEL_ERROR);
  EXPECT_EQ(rs_statement_enabled(handle), 0);
  EXPECT_EQ(rs_statement_record(handle, nullptr, 0), 0);
  rs_set_level(RS_LEVEL_INFO);
  EXPECT_EQ(rs_statement_record(handle, nullptr, 0), 1);
  EXPECT_EQ(recorded_values(), (std::vector<RecordValues>{{}}));
  EXPECT_EQ(rs_statement_enabled(0), RS_REFUSED_HANDLE);
}

PROCESS_TEST(RuntimeStatement, RecordsTextsAsTheyAre) {
  const std::int32_t handle = one_field(RS_VALUE_TEXT);
  char* const unterminated = before_unreadable_memory(3);
  std::memcpy(unterminated, "abc", 3);
  EXPECT_EQ(record_values(handle, {text({unterminated, 3})}), 1);
  EXPECT_EQ(record_values(handle, {text("\xFF\xC3")}), 1);
  EXPECT_EQ(record_values(handle, {text(std::string_view("a\0b", 3))}), 1);
  EXPECT_EQ(recorded_values(),
            (std::vector<RecordValues>{
                {"string abc"}, {"string \xFF\xC3"}, {std::string("string a\0b", 10)}}));
}

PROCESS_TEST(RuntimeStatement, ReadsStatementsThatAreNotTerminated) {
  char* const unterminated = before_unreadable_memory(2);
  std::memcpy(unterminated, "%d", 2);
  const std::string_view format(unterminated, 2);
  const std::int32_t handle =
      registered(RS_FORMAT_PRINTF, format, format.substr(1), {RS_VALUE_I32});
  ASSERT_GT(handle, 0);
  std::memcpy(unterminated, "xx", 2);  // copied
  ASSERT_EQ(rs_init(), 1);
  EXPECT_EQ(own_segment().site("%d").fields[0].name, "d");
}

PROCESS_TEST(RuntimeStatement, CutsLargeRecordsAndKeepsTheirNeighbours) {
  setenv("RINGSIDE_RING_BYTES", "65536", 1);
  const std::int32_t small = one_field(RS_VALUE_I32);
  const std::int32_t large =
      registered(RS_FORMAT_EVENT, "large", "", {RS_VALUE_TEXT, RS_VALUE_I32, RS_VALUE_BYTES});
  const std::string letters(100'000, 'c');
  EXPECT_EQ(record_values(small, {integer(RS_VALUE_I32, 1)}), 1);
  EXPECT_EQ(record_values(large,
                          {text(letters), integer(RS_VALUE_I32, 2), text(letters, RS_VALUE_BYTES)}),
            1);
  EXPECT_EQ(record_values(small, {integer(RS_VALUE_I32, 3)}), 1);
  const std::vector<Record> data = own_segment().data(0);
  ASSERT_EQ(data.size(), 3U);
  EXPECT_EQ(data[0].values, (RecordValues{"i32 1"}));
  EXPECT_TRUE(data[1].is_cut());
  EXPECT_EQ(data[1].values[1], "i32 2");
  EXPECT_EQ(data[2].values, (RecordValues{"i32 3"}));
}

PROCESS_TEST(RuntimeStatement, KeepsUnusualNumbers) {
  const std::int32_t handle = one_field(RS_VALUE_F32);
  EXPECT_EQ(record_values(handle, {number(RS_VALUE_F32, 1e300)}), 1);
  EXPECT_EQ(record_values(handle, {number(RS_VALUE_F32, std::nan(""))}), 1);
  EXPECT_EQ(recorded_values(), (std::vector<RecordValues>{{"f32 inf"}, {"f32 nan"}}));
}

}  // namespace
}  // namespace ringside::test
