// Switches that other processes set in the segment, with and without a deadline.

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "libagent/include/ringside/ringside.hpp"
#include "shm-layout/clock_reading.hpp"
#include "shm-layout/site_switch.hpp"
#include "shm-layout/switch_change.hpp"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_reader.hpp"

namespace ringside::test {
namespace {

constexpr std::uint64_t kNever = UINT64_MAX;

void log_switched() {
  RS_INFO("switched statement");
}

std::uint32_t switched_id() {
  return own_segment().site("switched statement").id;
}

void set_deadline(std::uint32_t slot, std::uint64_t tsc) {
  own_segment().control().switch_deadlines.tsc[slot].store(tsc);
}

void set_switch(std::uint8_t state) {
  own_segment().set_site_switch(switched_id(), state);
}

std::size_t logged() {
  const std::size_t before = own_segment().data(0).size();
  log_switched();
  return own_segment().data(0).size() - before;
}

PROCESS_TEST(Switch, AppliesUntilItsDeadlineAndRevertsAfterwards) {
  log_switched();
  for (std::uint32_t slot = 0; slot < shm::kSwitchDeadlineSlots; ++slot) {
    set_deadline(slot, kNever);
    set_switch(shm::timed_switch(shm::kSwitchOff, shm::kSwitchOn, slot));
    EXPECT_EQ(logged(), 0U);
    set_switch(shm::timed_switch(shm::kSwitchOn, shm::kSwitchOff, slot));
    EXPECT_EQ(logged(), 1U);
    EXPECT_TRUE(shm::is_timed(own_segment().site_switch(switched_id())));
    set_deadline(slot, shm::read_tsc());
    EXPECT_EQ(logged(), 0U);
    EXPECT_EQ(own_segment().site_switch(switched_id()), shm::kSwitchOff);
    set_switch(shm::timed_switch(shm::kSwitchOff, shm::kSwitchOn, slot));
    EXPECT_EQ(logged(), 1U);
    EXPECT_EQ(own_segment().site_switch(switched_id()), shm::kSwitchOn);
  }
}

PROCESS_TEST(Switch, IsOffInEveryOtherState) {
  log_switched();
  for (unsigned state = 0; state < 256; ++state) {
    if (state != shm::kSwitchOff && state <= shm::kSwitchOnConsumerClock) continue;
    if (shm::is_with_stack(static_cast<std::uint8_t>(state))) continue;
    const auto byte = static_cast<std::uint8_t>(state);
    set_switch(byte);
    // Every deadline has passed.
    const std::uint8_t plain = shm::settled_switch(byte);
    const bool becomes_on = shm::is_timed(byte) && shm::is_on_meanwhile(plain);
    const std::uint64_t counted = own_segment().executions(switched_id()).counted;
    EXPECT_EQ(logged(), becomes_on ? 1U : 0U) << state;
    EXPECT_EQ(own_segment().executions(switched_id()).counted - counted,
              plain == shm::kSwitchCounting ? 1U : 0U)
        << state;
  }
}

PROCESS_TEST(Switch, OfALibraryLoadedDuringATimedLevelRevertsWithIt) {
  log_switched();
  set_deadline(3, kNever);
  own_segment().control().service.level.store(shm::timed_level(
      static_cast<std::uint32_t>(Level::trace), static_cast<std::uint32_t>(Level::info), 3));
  void* const plugin = dlopen(std::getenv("RINGSIDE_TEST_PLUGIN"), RTLD_NOW);
  ASSERT_NE(plugin, nullptr) << dlerror();
  const auto unused = reinterpret_cast<void (*)(int)>(dlsym(plugin, "plugin_unused"));
  const auto count = [] { return own_segment().data(0).size(); };
  const std::size_t before = count();
  unused(1);
  EXPECT_EQ(count(), before + 1) << "a debug statement, while the level is trace";
  EXPECT_EQ(own_segment().site_switch(own_segment().site("plug-in %d").id), shm::kSwitchOn);
  set_deadline(3, shm::read_tsc());
  unused(2);
  EXPECT_EQ(count(), before + 1);
  EXPECT_EQ(own_segment().site_switch(own_segment().site("plug-in, unused %d").id),
            shm::kSwitchOff);
}

PROCESS_TEST(Switch, OfTheServicesOwnLevelEndsOneLimitedInTime) {
  log_switched();
  set_deadline(1, kNever);
  set_switch(shm::timed_switch(shm::kSwitchOff, shm::kSwitchOn, 1));
  own_segment().control().service.level.store(shm::timed_level(8, 1, 1));
  set_level(Level::info);
  EXPECT_EQ(logged(), 1U);
  EXPECT_EQ(own_segment().control().service.level.load(), 3U);
}

PROCESS_TEST(Switch, WithADeadlineIsDecidedInSignalHandlersToo) {
  log_switched();
  set_deadline(2, kNever);
  set_switch(shm::timed_switch(shm::kSwitchOn, shm::kSwitchOff, 2));
  std::signal(SIGUSR1, [](int) { log_switched(); });
  const std::size_t before = own_segment().data(0).size();
  for (int i = 0; i < 100; ++i) std::raise(SIGUSR1);
  EXPECT_EQ(own_segment().data(0).size(), before + 100);
}

}  // namespace
}  // namespace ringside::test
