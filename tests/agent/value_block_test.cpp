// Records whose values are in one block of memory.

#include <bit>
#include <cstdint>
#include <cstdlib>
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

std::string block_of(std::int32_t handle, std::uint64_t begin,
                     const std::vector<std::uint64_t>& values, std::string_view texts) {
  std::vector<std::uint64_t> words{static_cast<std::uint64_t>(handle), begin};
  words.insert(words.end(), values.begin(), values.end());
  std::string block(reinterpret_cast<const char*>(words.data()), words.size() * sizeof words[0]);
  return block.append(texts);
}

std::int32_t record_block(std::string_view block) {
  return rs_block_record(block.data(), block.size());
}

PROCESS_TEST(ValueBlock, RecordsAllTypes) {
  const FieldTypeCodes types = {RS_VALUE_BOOLEAN, RS_VALUE_I8,   RS_VALUE_I64, RS_VALUE_U64,
                                RS_VALUE_TEXT,    RS_VALUE_F32,  RS_VALUE_F64, RS_VALUE_POINTER,
                                RS_VALUE_TEXT,    RS_VALUE_BYTES};
  const std::int32_t handle = registered(RS_FORMAT_EVENT, "all", "", types);
  EXPECT_EQ(record_block(block_of(
                handle, 0,
                {1, UINT64_MAX, UINT64_MAX, UINT64_MAX, 3, std::bit_cast<std::uint64_t>(0.5),
                 std::bit_cast<std::uint64_t>(-0.25), 0x10, 0, 2},
                "abcde")),
            1);
  const RecordValues values = last_values();
  ASSERT_EQ(values.size(), types.size());
  EXPECT_EQ(RecordValues(values.begin(), values.end() - 1),
            (RecordValues{"bool 1", "i8 -1", "i64 -1", "u64 18446744073709551615", "string abc",
                          "f32 0.5", "f64 -0.25", "pointer 0x10", "string "}));
}

PROCESS_TEST(ValueBlock, RecordsASpan) {
  const std::int32_t handle = registered(RS_FORMAT_SPAN, "get", "x", {RS_VALUE_I64});
  const std::uint64_t begin = rs_span_begin(handle);
  EXPECT_EQ(record_block(block_of(handle, begin, {7}, "")), 1);
  EXPECT_EQ(record_block(block_of(handle, 0, {8}, "")), 0);
  const std::vector<Record> records = own_segment().data(0);
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].flags, shm::kExtDuration | shm::kExtFromEnd);
  EXPECT_EQ(records[0].values, (RecordValues{"i64 7"}));
}

PROCESS_TEST(ValueBlock, NeedsNoAlignment) {
  const std::int32_t handle = one_field(RS_VALUE_I64);
  const std::string block = "." + block_of(handle, 0, {7}, "");
  EXPECT_EQ(record_block(std::string_view(block).substr(1)), 1);
  EXPECT_EQ(last_values(), (RecordValues{"i64 7"}));
}

PROCESS_TEST(ValueBlock, RecordsManyFields) {
  const FieldTypeCodes types(RS_MAX_FIELDS, RS_VALUE_U64);
  const std::int32_t handle = registered(RS_FORMAT_EVENT, "many", "", types);
  EXPECT_EQ(record_block(block_of(handle, 0, std::vector<std::uint64_t>(RS_MAX_FIELDS, 5), "")), 1);
  EXPECT_EQ(last_values(), RecordValues(RS_MAX_FIELDS, "u64 5"));
}

PROCESS_TEST(ValueBlock, RecordsTextsAndNumbersInTheOrderOfFields) {
  const std::int32_t handle =
      registered(RS_FORMAT_PRINTF, "%s %ld %s %.2s", "",
                 {RS_VALUE_TEXT, RS_VALUE_I64, RS_VALUE_TEXT, RS_VALUE_TEXT});
  EXPECT_EQ(record_block(block_of(handle, 0, {2, 7, 1, 3}, "abcdef")), 1);
  const std::int32_t event = registered(RS_FORMAT_EVENT, "e", "",
                                        {RS_VALUE_TEXT, RS_VALUE_I64, RS_VALUE_TEXT, RS_VALUE_F64});
  EXPECT_EQ(record_block(block_of(event, 0, {2, 7, 1, std::bit_cast<std::uint64_t>(0.5)}, "abc")),
            1);
  EXPECT_EQ(recorded_values(),
            (std::vector<RecordValues>{{"string ab", "i64 7", "string c", "string de"},
                                       {"string ab", "i64 7", "string c", "f64 0.5"}}));
}

PROCESS_TEST(ValueBlock, CutsLongTexts) {
  setenv("RINGSIDE_RING_BYTES", "65536", 1);
  const std::int32_t handle =
      registered(RS_FORMAT_SPAN, "get", "", {RS_VALUE_TEXT, RS_VALUE_I64, RS_VALUE_TEXT});
  const std::string letters(100'000, 'c');
  const std::uint64_t begin = rs_span_begin(handle);
  EXPECT_EQ(record_block(block_of(handle, begin, {0, 1, 0}, "")), 1);
  EXPECT_EQ(record_block(block_of(handle, begin, {letters.size(), 2, 1}, letters + "d")), 1);
  const std::vector<Record> records = own_segment().data(0);
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].values, (RecordValues{"string ", "i64 1", "string "}));
  EXPECT_TRUE(records[1].is_cut());
  EXPECT_EQ(records[1].values[1], "i64 2");
  EXPECT_EQ(records[1].values[2], "string d");
}

PROCESS_TEST(ValueBlock, OfAnotherLengthIsRefused) {
  const std::int32_t handle =
      registered(RS_FORMAT_EVENT, "two", "", {RS_VALUE_TEXT, RS_VALUE_BYTES});
  EXPECT_EQ(rs_block_record(nullptr, 0), RS_REFUSED_POINTER);
  const std::string valid = block_of(handle, 0, {3, 2}, "abcde");
  for (std::size_t bytes = 0; bytes < valid.size(); ++bytes) {
    const std::string_view part = std::string_view(valid).substr(0, bytes);
    EXPECT_EQ(record_block(part), RS_REFUSED_COUNT) << bytes;
  }
  EXPECT_EQ(record_block(valid + "f"), RS_REFUSED_COUNT);
  EXPECT_EQ(record_block(block_of(handle, 0, {UINT64_MAX, 6}, "abcde")), RS_REFUSED_COUNT);
  EXPECT_EQ(record_block(block_of(handle + 1, 0, {}, "")), RS_REFUSED_HANDLE);
  EXPECT_EQ(record_block(block_of(-1, 0, {}, "")), RS_REFUSED_HANDLE);
  EXPECT_EQ(record_block(block_of(one_field(RS_VALUE_I8), 0, {128}, "")), RS_REFUSED_VALUE);
  EXPECT_EQ(record_block(valid), 1);
  EXPECT_EQ(recorded_values().size(), 1U);
}

}  // namespace
}  // namespace ringside::test
