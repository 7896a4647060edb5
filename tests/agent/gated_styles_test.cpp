// Gates, categories, keywords and RS_MIN_LEVEL with every style, and with the statements of other
// libraries' macros.

#include "tests/agent/gated_styles.hpp"

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "libagent/include/ringside/ringside.hpp"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_reader.hpp"

namespace ringside::test {
namespace {

struct Outcome {
  std::uint64_t recorded = 0;
  std::uint64_t suppressed = 0;
  bool operator==(const Outcome&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Outcome& outcome) {
  return out << outcome.recorded << " recorded, " << outcome.suppressed << " suppressed";
}

// Of the statement in a function. One in stream style has an entry from before its first record
// too.
Outcome outcome_of(const GatedStyle& style, const char* function) {
  Outcome outcome;
  for (const auto& [id, site] : own_segment().sites()) {
    if (site.function != std::string(style.name) + "_" + function) continue;
    outcome.suppressed += own_segment().executions(id).suppressed;
    for (const Record& r : own_segment().data(own_segment().my_ring())) {
      if (r.code == id) ++outcome.recorded;
    }
  }
  return outcome;
}

void execute(void (*statement)(int), int times) {
  for (int i = 0; i < times; ++i) statement(i);
}

PROCESS_TEST(GatedStyles, PassGatesAsOtherStatementsDo) {
  prepare_gated_styles();
  for (const GatedStyle& style : gated_styles) {
    SCOPED_TRACE(style.name);
    execute(style.every_n, 7);
    EXPECT_EQ(outcome_of(style, "every_n"), (Outcome{3, 4}));
    execute(style.first_n, 7);
    EXPECT_EQ(outcome_of(style, "first_n"), (Outcome{2, 5}));
    execute(style.once, 7);
    EXPECT_EQ(outcome_of(style, "once"), (Outcome{1, 6}));
    execute(style.every_ms, 7);
    EXPECT_EQ(outcome_of(style, "every_ms"), (Outcome{1, 6}));
    execute(style.if_even, 7);
    EXPECT_EQ(outcome_of(style, "if_even"), (Outcome{4, 3}));
    execute(style.nested, 7);  // 1 to 6; 1, 3, 5; 1, 3
    EXPECT_EQ(outcome_of(style, "nested"), (Outcome{2, 5}));
  }
}

PROCESS_TEST(GatedStyles, GatesOfOtherLibrariesAskTheGateAroundThem) {
  prepare_gated_styles();
  execute(glog_gate_in_gate, 8);  // 0, 2, 4, 6; 0, 4
  execute(quill_gate_in_gate, 8);
  for (const char* const name : {"glog", "quill"}) {
    GatedStyle style{};
    style.name = name;
    EXPECT_EQ(outcome_of(style, "gate_in_gate"), (Outcome{2, 6})) << name;
  }
}

PROCESS_TEST(GatedStyles, HaveCategoriesAndKeywords) {
  prepare_gated_styles();
  for (const GatedStyle& style : gated_styles) {
    SCOPED_TRACE(style.name);
    execute(style.of_category, 4);
    EXPECT_EQ(outcome_of(style, "of_category"), (Outcome{2, 2}));
    execute(style.of_file, 1);
    int found = 0;
    for (const auto& [id, site] : own_segment().sites()) {
      if (site.function == std::string(style.name) + "_of_category") {
        EXPECT_EQ(site.category, "own");
        EXPECT_EQ(site.keywords, 6U);
        ++found;
      } else if (site.function == std::string(style.name) + "_of_file") {
        EXPECT_EQ(site.category, "file");
        EXPECT_EQ(site.keywords, 0x8000000000000001U);
        ++found;
      }
    }
    EXPECT_GE(found, 2);
  }
}

PROCESS_TEST(GatedStyles, AreRemovedBelowTheLowestLevel) {
  prepare_gated_styles();
  RS_INFO("creates the segment");
  for (const GatedStyle& style : gated_styles) {
    SCOPED_TRACE(style.name);
    execute(style.removed, 2);
    for (const auto& [id, site] : own_segment().sites()) {
      EXPECT_NE(site.function, std::string(style.name) + "_removed");
    }
  }
  EXPECT_EQ(own_segment().data(own_segment().my_ring()).size(), 1U);
}

}  // namespace
}  // namespace ringside::test
