// The C front end, in one process with the C++ front end.

#include <cstddef>
#include <cstdlib>
#include <string>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "libagent/include/ringside/ringside.h"
#include "tests/agent/c_statements.h"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_reader.hpp"

namespace ringside::test {
namespace {

using Values = std::vector<std::string>;

std::vector<Values> recorded() {
  std::vector<Values> all;
  for (const Record& r : own_segment().data(0)) all.push_back(r.values);
  return all;
}

PROCESS_TEST(CFrontEnd, KeepsIntegers) {
  c_log_integers();
  EXPECT_EQ(recorded(), (std::vector<Values>{{"i32 1", "char 99", "i16 -2", "u8 200"},
                                             {"i64 -3", "u64 4", "i64 -5", "u64 6"},
                                             {"u64 7", "i64 -8", "i64 9"},
                                             {"u32 4000000000", "u32 255", "u32 8", "i32 -1"}}));
}

PROCESS_TEST(CFrontEnd, KeepsBitFieldsAndSmallEnumerations) {
  c_log_bit_fields();
  EXPECT_EQ(last_values(), (Values{"u32 5", "i32 -3", "i32 1", "u32 9", "u32 2", "i32 2"}));
}

PROCESS_TEST(CFrontEnd, ConversionsDecideTheSizeOfShortIntegers) {
  c_log_short_integers();
  EXPECT_EQ(recorded(),
            (std::vector<Values>{{"i32 -1", "u32 200", "i32 -300", "u32 60000", "u32 4294967295"},
                                 {"i8 -1", "u8 200", "i16 -300", "u16 60000", "char 120"},
                                 {"u16 60000", "u32 60000", "char 120", "i32 120"},
                                 {"char 65", "i32 7"}}));
}

PROCESS_TEST(CFrontEnd, ConversionsDecideTheSign) {
  c_log_signs();
  EXPECT_EQ(last_values(),
            (Values{"u32 4294967295", "i32 -294967296", "u64 18446744073709551615"}));
}

PROCESS_TEST(CFrontEnd, RecordsFloatsAsDoubles) {
  c_log_floats();
  EXPECT_EQ(last_values(), (Values{"f64 0.5", "f64 0.5", "string text", "f64 -0.5"}));
}

PROCESS_TEST(CFrontEnd, ReadsNoFurtherThanThePrecision) {
  const char unterminated[] = {'a', 'b', 'c'};
  c_log_texts_by_format(unterminated);
  EXPECT_EQ(recorded(), (std::vector<Values>{{"string abc", "i32 2", "string ab", "string text"},
                                             {"string text", "i32 7", "string "}}));
}

PROCESS_TEST(CFrontEnd, RecordsTheAddressOfATextForP) {
  const char* const address = reinterpret_cast<const char*>(0x10);  // nothing to read there
  c_log_address(address);
  EXPECT_EQ(last_values(), (Values{"pointer 0x10"}));
}

PROCESS_TEST(CFrontEnd, KeepsOtherTypes) {
  c_log_others();
  EXPECT_EQ(recorded(), (std::vector<Values>{
                            {"f64 0.5", "f64 1.5", "f80 2.25"},
                            {"string buffer", "string abc", "i32 5", "i32 6", "i32 2", "string xy"},
                            {"string wä", "string é", "pointer 0"},
                            {}}));
}

PROCESS_TEST(CFrontEnd, RecordsNullStrings) {
  c_log_null(nullptr);
  EXPECT_EQ(last_values(), (Values{"string (null)", "string ", "string (null)"}));
}

PROCESS_TEST(CFrontEnd, CutsLargeRecords) {
  setenv("RINGSIDE_RING_BYTES", "65536", 1);
  const std::string text(100'000, 'c');
  c_log_large(text.c_str());
  const std::vector<Record> data = own_segment().data(0);
  ASSERT_EQ(data.size(), 1U);
  EXPECT_TRUE(data[0].is_cut());
  EXPECT_EQ(data[0].values[1], "i32 1");
}

PROCESS_TEST(CFrontEnd, TakesThirtyTwoArguments) {
  c_log_thirty_two();
  ASSERT_EQ(last_values().size(), 32U);
  EXPECT_EQ(last_values()[31], "i32 32");
}

PROCESS_TEST(CFrontEnd, EvaluatesArgumentsOnceOrNever) {
  int count = 0;
  EXPECT_EQ(c_log_counted(&count), 1);
  set_level(Level::error);
  EXPECT_EQ(c_log_counted(&count), 1);
}

PROCESS_TEST(CFrontEnd, SharesTheSegmentWithCpp) {
  int count = 0;
  c_log_counted(&count);
  RS_INFO("c++ beside it");
  c_log_counted(&count);
  EXPECT_EQ(segments_in(shm_dir()).size(), 1U);
  const std::vector<Record> data = own_segment().data(0);
  ASSERT_EQ(data.size(), 3U);
  EXPECT_EQ(data[0].code, data[2].code);
  const Site& site = own_segment().site("c counted %d");
  EXPECT_TRUE(site.file.ends_with("c_statements.c"));
  EXPECT_EQ(site.function, "c_log_counted");
  ASSERT_EQ(site.fields.size(), 1U);
  EXPECT_EQ(site.fields[0].name, "++*count");
}

PROCESS_TEST(CFrontEnd, ListsStatementsThatNeverRan) {
  ASSERT_EQ(rs_init(), 1);
  const Site& site = own_segment().site("c never executed %d");
  EXPECT_EQ(site.level, shm::Level::kError);
  ASSERT_EQ(site.fields.size(), 1U);
  EXPECT_EQ(site.fields[0].type, shm::FieldType::i32);
  rs_set_level(RS_LEVEL_CRITICAL);
  EXPECT_EQ(own_segment().site_switch(site.id), 0);
  rs_set_level(-5);
  EXPECT_EQ(own_segment().site_switch(site.id), 1);
}

PROCESS_TEST(CFrontEnd, OptionsOfTheSegment) {
  const std::string group = std::to_string(getegid());
  const mode_t old_mask = umask(077);
  ASSERT_EQ(c_init_for_group("c-service", 0660, group.c_str()), 1);
  umask(old_mask);
  struct stat info {};
  ASSERT_EQ(stat(status().segment_path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777U, 0660U);
  EXPECT_EQ(info.st_gid, getegid());
  EXPECT_STREQ(own_segment().header().service, "c-service");
  EXPECT_EQ(own_segment().header().ring_bytes, 1U << 20);
  EXPECT_EQ(own_segment().control().service.block_timeout_ms.load(), 100U);
}

PROCESS_TEST(CFrontEnd, AllOptions) {
  const std::string& dir = shm_dir();
  unsetenv("RINGSIDE_SHM_DIR");
  ASSERT_EQ(c_init_of_all_options(dir.c_str()), 1);
  const shm::SegmentHeader& header = own_segment().header();
  EXPECT_TRUE(status().segment_path.starts_with(dir + "/ringside.from-c."));
  EXPECT_EQ(header.ring_bytes, 1U << 17);
  EXPECT_EQ(header.ring_count, 7U);
  EXPECT_EQ(header.cost_sampling, 512U);
  const shm::ServiceLine& line = own_segment().control().service;
  EXPECT_EQ(line.overflow_policy.load(), static_cast<std::uint32_t>(shm::OverflowPolicy::kDrop));
  EXPECT_EQ(line.block_timeout_ms.load(), 33U);
  EXPECT_EQ(line.level.load(), 6U);
}

PROCESS_TEST(CFrontEnd, NullOptionsAreDefaults) {
  ASSERT_EQ(rs_init_with(nullptr), 1);
  EXPECT_EQ(own_segment().header().ring_bytes, 1U << 20);
  EXPECT_EQ(own_segment().control().service.block_timeout_ms.load(), 100U);
}

// Options as compiled with an older header, which ends before the newer members.
PROCESS_TEST(CFrontEnd, OptionsOfAnOlderHeader) {
  rs_options options{};
  options.struct_bytes = offsetof(rs_options, mode);
  options.service = "older";
  options.mode = 0664;
  ASSERT_EQ(rs_init_with(&options), 1);
  struct stat info {};
  ASSERT_EQ(stat(status().segment_path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777U, 0600U);
}

}  // namespace
}  // namespace ringside::test
