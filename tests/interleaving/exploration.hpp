#pragma once
// Runs a protocol through all schedules, or through random ones.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>

#include <gtest/gtest.h>

#include "tests/interleaving/weak_memory.hpp"

namespace ringside::interleaving {

struct Explored {
  std::uint64_t schedules = 0;
  bool sound = true;
};

// `run(choices)`: one run, whether it was sound. Ends with the first that is not.
template <class Run>
Explored explore(const Run& run) {
  Choices choices;
  Explored explored;
  do {
    ++explored.schedules;
    explored.sound = run(choices);
  } while (explored.sound && choices.advance());
  return explored;
}

template <class Run>
void expect_sound_in_every_schedule(const Run& run) {
  const Explored explored = explore(run);
  EXPECT_TRUE(explored.sound) << "schedule " << explored.schedules;
  std::printf("%llu schedules explored\n", static_cast<unsigned long long>(explored.schedules));
}

// `run(choices, number)`. RINGSIDE_TEST_SEED repeats a run of the test.
template <class Run>
void expect_sound_in_random_schedules(std::uint64_t schedules, const Run& run) {
  const char* const given = std::getenv("RINGSIDE_TEST_SEED");
  const std::uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 0)
                                              : std::uint64_t{std::random_device{}()} + 1;
  std::printf("RINGSIDE_TEST_SEED=%llu, %llu schedules\n", static_cast<unsigned long long>(seed),
              static_cast<unsigned long long>(schedules));
  Choices choices(seed);
  for (std::uint64_t i = 0; i < schedules; ++i) ASSERT_TRUE(run(choices, i)) << "schedule " << i;
}

}  // namespace ringside::interleaving
