// Events of the C front end.

#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "libagent/include/ringside/event.hpp"
#include "libagent/include/ringside/ringside.h"
#include "shm-layout/overwrite_words.hpp"
#include "tests/agent/c_events.h"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_reader.hpp"

namespace ringside::test {
namespace {

std::vector<std::string> names_of(const Site& site) {
  std::vector<std::string> names;
  for (const Field& field : site.fields) names.push_back(field.name);
  return names;
}

std::vector<std::string> constants_of(const Site& site) {
  std::vector<std::string> constants;
  for (const Field& field : site.fields) constants.push_back(field.constant);
  return constants;
}

std::vector<std::string> events_recorded(std::size_t index) {
  return own_segment().data(0).at(index).values;
}

PROCESS_TEST(CEvent, HasTheFieldsOfTheSameEventInCpp) {
  const double px = 100.25;
  const c_order object{7, "buy"};
  const c_order* const order = &object;
  c_record_fill(px, order);
  RS_EVENT(WARNING, "cpp.fill", RS_ARG(px), order->qty, RS_NAMED("side", order->side),
           RS_NAMED("venue", "XE\tTR"), "text", static_cast<int>(px));
  const Site& of_c = own_segment().site("c.fill");
  const Site& of_cpp = own_segment().site("cpp.fill");
  EXPECT_EQ(of_c.kind, shm::SiteKind::kEvent);
  EXPECT_EQ(of_c.name, "c.fill");
  EXPECT_EQ(of_c.level, of_cpp.level);
  EXPECT_EQ(of_c.function, "c_record_fill");
  ASSERT_EQ(of_c.fields.size(), 6U);
  EXPECT_EQ(names_of(of_c), names_of(of_cpp));
  EXPECT_EQ(names_of(of_c),
            (std::vector<std::string>{"px", "order->qty", "side", "venue", "arg5", "px_2"}));
  EXPECT_EQ(constants_of(of_c), constants_of(of_cpp));
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(of_c.fields[i].type, of_cpp.fields[i].type) << i;
  EXPECT_EQ(events_recorded(0),
            (std::vector<std::string>{"f64 100.25", "u32 7", "string buy", "i32 100"}));
  EXPECT_EQ(events_recorded(0), events_recorded(1));
  EXPECT_EQ(own_segment().data(0).at(0).bytes, own_segment().data(0).at(1).bytes);
}

PROCESS_TEST(CEvent, KeepsTheTypesOfItsArguments) {
  const unsigned char octets[] = {'1', '2', 0};
  c_record_types("text", octets, 2);
  EXPECT_EQ(events_recorded(0),
            (std::vector<std::string>{"i32 5", "i32 -3", "bool 1", "u8 2", "bool 1", "char 99",
                                      "i8 -1", "u8 200", "i16 -300", "u16 60000", "i32 -1", "u32 2",
                                      "i64 -3", "u64 4"}));
  const std::vector<std::string> others = events_recorded(1);
  ASSERT_EQ(others.size(), 11U);
  EXPECT_EQ(
      std::vector<std::string>(others.begin(), others.begin() + 8),
      (std::vector<std::string>{"f32 0.5", "f64 0.25", "f80 2.5", "string text", "string buffer",
                                "string 12", "string w\u00e4", "pointer 0x10"}));
  EXPECT_EQ(others[10], "string yes");
  const Site& site = own_segment().site("c.others");
  EXPECT_EQ(site.fields[8].type, shm::FieldType::bytes);
  EXPECT_EQ(site.fields[9].name, "none");
}

PROCESS_TEST(CEvent, KeepsStringLiteralsInTheDictionary) {
  c_record_constants();
  EXPECT_EQ(constants_of(own_segment().site("c.constants")),
            (std::vector<std::string>{"string XETR", "string in parentheses", "string one text",
                                      "string ", "string (null)", "", "", "", ""}));
  EXPECT_EQ(last_values(), (std::vector<std::string>{"i32 7", "i32 99", "i32 1", "f64 1.5"}));
}

PROCESS_TEST(CEvent, NeedsNoArguments) {
  c_record_bare();
  EXPECT_EQ(own_segment().site("c.bare").level, shm::Level::kCritical);
  const std::vector<Record> data = own_segment().data(0);
  ASSERT_EQ(data.size(), 2U);
  EXPECT_EQ(data[0].bytes, 8U);
  EXPECT_EQ(data[1].bytes, 8U);
  EXPECT_EQ(constants_of(own_segment().site("c.constant only")),
            std::vector<std::string>{"string ms"});
}

PROCESS_TEST(CEvent, IsCutIfItIsTooLarge) {
  setenv("RINGSIDE_RING_BYTES", "65536", 1);
  const std::string text(100'000, 'c');
  c_record_bare();
  c_record_large(text.c_str(), text.size());
  c_record_bare();
  const std::vector<Record> data = own_segment().data(0);
  ASSERT_EQ(data.size(), 5U);
  EXPECT_TRUE(data[2].is_cut());
  ASSERT_EQ(data[2].values.size(), 4U);
  EXPECT_GT(data[2].values[0].size(), 1000U);
  EXPECT_GT(data[2].values[1].size(), 1000U);
  EXPECT_EQ(data[2].values[2], "i32 7");
  EXPECT_EQ(data[4].bytes, 8U);
}

PROCESS_TEST(CEvent, TakesThirtyTwoArguments) {
  c_record_many();
  ASSERT_EQ(last_values().size(), 31U);
  EXPECT_EQ(last_values()[30], "i32 31");
  EXPECT_EQ(own_segment().site("c.many").fields.at(31).constant, "string 32");
}

PROCESS_TEST(CEvent, EvaluatesArgumentsOnceOrNever) {
  int count = 0;
  EXPECT_EQ(c_record_counted(&count), 1);
  EXPECT_EQ(c_record_counted(&count), 1);  // its gate is closed
  EXPECT_EQ(own_segment().site("c.counted").category, "orders");
  EXPECT_EQ(last_values(), std::vector<std::string>{"i32 1"});
}

PROCESS_TEST(CEvent, OverwritesItsOldestRecords) {
  setenv("RINGSIDE_OVERFLOW", "overwrite", 1);
  setenv("RINGSIDE_RING_BYTES", "65536", 1);
  const c_order order{7, "buy"};
  for (int i = 0; i < 10'000; ++i) c_record_fill(i, &order);
  const shm::ProducerLine& line = own_segment().ring(0).producer;
  const shm::OldestRecords oldest = shm::load_oldest(line.oldest).value();
  std::uint64_t kept = 0;
  for (const Record& r : own_segment().records(0, oldest.pos, line.producer_pos.load())) {
    if (r.is_data()) ++kept;
  }
  EXPECT_GT(kept, 0U);
  EXPECT_EQ(oldest.sequence + kept, 10'000U);
}

}  // namespace
}  // namespace ringside::test
