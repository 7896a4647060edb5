// The level that a service reads.

#include <cstdlib>

#include <gtest/gtest.h>

#include "libagent/include/ringside/ringside.h"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_reader.hpp"

namespace ringside::test {
namespace {

PROCESS_TEST(LevelInForce, IsKnownBeforeTheFirstRecord) {
  EXPECT_EQ(level(), Level::trace);
  setenv("RINGSIDE_LEVEL", "Warning", 1);
  EXPECT_EQ(level(), Level::warning);
  EXPECT_TRUE(segments_in(shm_dir()).empty());
  init();
  EXPECT_EQ(rs_get_level(), RS_LEVEL_WARNING);
  unsetenv("RINGSIDE_LEVEL");
  EXPECT_EQ(level(), Level::warning);
}

PROCESS_TEST(LevelInForce, IsOffInADisabledService) {
  setenv("RINGSIDE_DISABLE", "1", 1);
  EXPECT_EQ(level(), Level::off);
  init();
  EXPECT_EQ(level(), Level::off);
  EXPECT_FALSE(rotate());
}

// Other processes can write to the segment.
PROCESS_TEST(LevelInForce, IsTheNearestOfAnImpossibleOne) {
  init();
  auto& word = own_segment().control().service.level;
  word.store(0);
  EXPECT_EQ(level(), Level::trace);
  word.store(255);
  EXPECT_EQ(level(), Level::off);
}

PROCESS_TEST(LevelInForce, IsThatOfSetLevelBeforeTheFirstRecord) {
  set_level(Level::error);
  EXPECT_EQ(level(), Level::error);
}

}  // namespace
}  // namespace ringside::test
