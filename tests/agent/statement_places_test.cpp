// Where statements can appear in the source.

#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>

#include "libagent/include/ringside/ringside.hpp"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_reader.hpp"
#include "tests/agent/shared_inline.hpp"

namespace ringside::test {
namespace {

using Values = std::vector<std::string>;

PROCESS_TEST(StatementPlaces, OneSiteForAnInlineFunctionInTwoTranslationUnits) {
  log_from_header(1);
  log_from_other_unit(2);
  EXPECT_EQ(own_segment().count_sites("inline in a header %d"), 1U);
  const std::vector<Record> data = own_segment().data(0);
  ASSERT_EQ(data.size(), 2U);
  EXPECT_EQ(data[0].code, data[1].code);
  EXPECT_EQ(data[1].values, Values{"i32 2"});
}

PROCESS_TEST(StatementPlaces, OneSitePerTemplateInstance) {
  log_from_template<int>(1);
  log_from_template<long>(2);
  log_from_template<short>(4);
  log_template_from_other_unit();
  EXPECT_EQ(own_segment().count_sites("template %d"), 3U);
  const std::vector<Record> data = own_segment().data(0);
  ASSERT_EQ(data.size(), 4U);
  EXPECT_NE(data[0].code, data[1].code);
  EXPECT_EQ(data[2].code, data[3].code);
}

template <class T>
struct Member {
  T value;
  explicit Member(T v) : value(v) { RS_INFO("constructor %d", static_cast<int>(value)); }
  ~Member() { RS_INFO("destructor %d", static_cast<int>(value)); }
  auto twice() const {
    return [this](auto factor) { RS_INFO("generic lambda %d", static_cast<int>(value * factor)); };
  }
  static void in_static() { RS_INFO("static member"); }
};

PROCESS_TEST(StatementPlaces, WorkInMembersAndGenericLambdasOfTemplates) {
  {
    const Member<int> member(5);
    member.twice()(2);
    member.twice()(2L);
    Member<long>::in_static();
  }
  std::vector<std::string> seen;
  for (const Record& r : own_segment().data(0)) {
    seen.push_back(own_segment().sites().at(r.code).format +
                   (r.values.empty() ? "" : "=" + r.values[0]));
  }
  EXPECT_EQ(seen, (Values{"constructor %d=i32 5", "generic lambda %d=i32 10",
                          "generic lambda %d=i32 10", "static member", "destructor %d=i32 5"}));
  EXPECT_EQ(own_segment().count_sites("generic lambda %d"), 2U);
}

PROCESS_TEST(StatementPlaces, TwoOnOneLineAreTwoSites) {
  // clang-format off
  RS_INFO("left on the line"); RS_INFO("right on the line");
  // clang-format on
  EXPECT_EQ(own_segment().site("left on the line").line,
            own_segment().site("right on the line").line);
  EXPECT_EQ(own_segment().data(0).size(), 2U);
}

PROCESS_TEST(StatementPlaces, WorkAsTheBodyOfIfAndElse) {
  for (const bool yes : {true, false}) {
    if (yes)
      RS_INFO("then");
    else
      RS_INFO("else");
  }
  EXPECT_EQ(own_segment().data(0).size(), 2U);
}

PROCESS_TEST(StatementPlaces, WorkWhileAnExceptionPropagates) {
  struct LogsInDestructor {
    ~LogsInDestructor() { RS_INFO("unwinding"); }
  };
  try {
    const LogsInDestructor guard;
    throw 1;
  } catch (int) {
    RS_INFO("caught");
  }
  EXPECT_EQ(own_segment().data(0).size(), 2U);
}

PROCESS_TEST(StatementPlaces, WorkInDestructorsOfThreadLocals) {
  struct LogsAtThreadEnd {
    int number = 0;
    ~LogsAtThreadEnd() { RS_INFO("end of thread %d", number); }
  };
  std::thread([] {
    thread_local LogsAtThreadEnd last;
    last.number = 7;
    RS_INFO("in the thread");
  }).join();
  std::size_t found = 0;
  SegmentReader& segment = own_segment();
  for (std::uint32_t i = 0; i < segment.rings_used(); ++i) {
    found += segment.data(i).size();
    EXPECT_EQ(segment.ring(i).identity.state.load(),
              static_cast<std::uint32_t>(shm::RingState::kRetired));
  }
  EXPECT_EQ(found, 2U);
}

// tests/agent/static_life.cpp logs before and after main.
PROCESS_TEST(StatementPlaces, WorkInStaticConstructorsAndDestructors) {
  ASSERT_EQ(run_program(std::getenv("RINGSIDE_TEST_STATIC_LIFE"), {}), 0);
  const std::vector<std::string> paths = segments_in(shm_dir());
  ASSERT_EQ(paths.size(), 1U);
  SegmentReader segment(paths[0]);
  std::vector<std::string> seen;
  for (const Record& r : segment.data(0)) seen.push_back(segment.sites().at(r.code).format);
  EXPECT_EQ(seen, (Values{"early constructor", "constructor", "main", "at exit", "destructor",
                          "early destructor"}));
  EXPECT_EQ(segment.count_sites("never executed"), 1U);
}

}  // namespace
}  // namespace ringside::test
