// What events write into a ring and into the dictionary.

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "libagent/include/ringside/event.hpp"
#include "libagent/include/ringside/ringside.hpp"
#include "shm-layout/format_style.hpp"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_reader.hpp"

namespace ringside::test {
namespace {

using Values = std::vector<std::string>;

std::vector<std::string> names_of(const Site& site) {
  std::vector<std::string> names;
  for (const Field& field : site.fields) names.push_back(field.name);
  return names;
}

PROCESS_TEST(EventRecord, HasANameAndFieldsInTheOrderOfTheArguments) {
  const double px = 1.25;
  const std::uint16_t quantity = 7;
  RS_EVENT(WARNING, "order.fill", RS_ARG(px), RS_NAMED("qty", quantity * 2), std::string("x"));
  EXPECT_EQ(last_values(), (Values{"f64 1.25", "i32 14", "string x"}));
  const Site& site = own_segment().site("order.fill");
  EXPECT_EQ(site.name, "order.fill");
  EXPECT_EQ(site.kind, shm::SiteKind::kEvent);
  EXPECT_EQ(site.level, shm::Level::kWarning);
  EXPECT_EQ(names_of(site), (Values{"px", "qty", "std::string(\"x\")"}));
}

PROCESS_TEST(EventRecord, NeedsNoArguments) {
  RS_EVENT(INFO, "started");
  EXPECT_EQ(last_values(), Values{});
  EXPECT_EQ(own_segment().site("started").kind, shm::SiteKind::kEvent);
}

PROCESS_TEST(EventRecord, StoresLiteralsOnceInTheDictionary) {
  int count = 3;
  RS_EVENT(INFO, "literals",
           RS_NAMED("venue",
                    "XE\tTR"
                    "A"),
           count, RS_ARG(5U), -1.5F, RS_NAMED("is_live", true), 'c', -1'000L);
  EXPECT_EQ(last_values(), (Values{"i32 3"}));
  const Site& site = own_segment().site("literals");
  Values constants;
  for (const Field& field : site.fields) constants.push_back(field.constant);
  EXPECT_EQ(constants,
            (Values{"string XE\tTRA", "", "u32 5", "f32 -1.5", "bool 1", "char 99", "i64 -1000"}));
  EXPECT_EQ(names_of(site), (Values{"venue", "count", "arg3", "arg4", "is_live", "arg6", "arg7"}));
}

PROCESS_TEST(EventRecord, RecordsWhatIsNotASingleLiteral) {
  constexpr int kLimit = 4;
  RS_EVENT(INFO, "others", kLimit, 2 * 2, sizeof(int), nullptr, L"wide", 0x1p3);
  EXPECT_EQ(last_values(),
            (Values{"i32 4", "i32 4", "u64 4", "pointer 0", "string wide", "f64 8"}));
}

PROCESS_TEST(EventRecord, EvaluatesArgumentsOnlyWhileItIsEnabled) {
  int evaluated = 0;
  set_level(Level::warning);
  RS_EVENT(INFO, "off", ++evaluated);
  EXPECT_EQ(evaluated, 0);
  set_level(Level::info);
  for (int i = 0; i < 3; ++i) RS_EVENT(INFO, "on", ++evaluated);
  EXPECT_EQ(evaluated, 3);
  EXPECT_EQ(last_values(), (Values{"i32 3"}));
}

PROCESS_TEST(EventRecord, TakesAsManyFieldsAsARecordHas) {
  RS_EVENT(INFO, "many", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
           22, 23, 24, 25, 26, 27, 28, 29, 30, 31, std::string("last"));
  EXPECT_EQ(last_values(), (Values{"string last"}));
  EXPECT_EQ(own_segment().site("many").fields.size(), 32U);
}

}  // namespace
}  // namespace ringside::test
