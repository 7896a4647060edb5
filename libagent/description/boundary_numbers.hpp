// Levels and causes of loss at the library's boundaries: enum rs_level and enum rs_loss_cause in C,
// Level and LossCause in C++, shm::Level and shm::LossCause in shared memory. All have the same
// numbers, which is checked here, and only here one becomes another.
#pragma once

#include <cstdint>

#include "libagent/include/ringside/ringside.hpp"
#include "shm-layout/level.hpp"
#include "shm-layout/loss_cause.hpp"

namespace ringside {

// `number`: from RS_LEVEL_TRACE to RS_LEVEL_OFF.
constexpr Level level_of_c(int number) {
  return static_cast<Level>(number);
}

constexpr shm::Level stored_level(std::uint8_t number) {
  return static_cast<shm::Level>(number);
}

constexpr LossCause cause_of_c(rs_loss_cause cause) {
  return static_cast<LossCause>(cause);
}

// LossCause::any is a sum, which shared memory does not have.
constexpr shm::LossCause stored_cause(LossCause cause) {
  return static_cast<shm::LossCause>(cause);
}

// `dropped`: the result of a failed reservation.
constexpr shm::LossCause cause_of_drop(std::uint64_t dropped) {
  return static_cast<shm::LossCause>(dropped - RS_DROPPED);
}

static_assert(stored_level(RS_LEVEL_TRACE) == shm::Level::kTrace);
static_assert(stored_level(RS_LEVEL_DEBUG) == shm::Level::kDebug);
static_assert(stored_level(RS_LEVEL_INFO) == shm::Level::kInfo);
static_assert(stored_level(RS_LEVEL_NOTICE) == shm::Level::kNotice);
static_assert(stored_level(RS_LEVEL_WARNING) == shm::Level::kWarning);
static_assert(stored_level(RS_LEVEL_ERROR) == shm::Level::kError);
static_assert(stored_level(RS_LEVEL_CRITICAL) == shm::Level::kCritical);
static_assert(stored_level(RS_LEVEL_OFF) == shm::Level::kOff);
static_assert(level_of_c(RS_LEVEL_TRACE) == Level::trace && level_of_c(RS_LEVEL_OFF) == Level::off);

static_assert(stored_cause(cause_of_c(RS_LOSS_RING_FULL)) == shm::LossCause::kRingFull);
static_assert(stored_cause(cause_of_c(RS_LOSS_NO_CONSUMER)) == shm::LossCause::kNoConsumer);
static_assert(stored_cause(cause_of_c(RS_LOSS_NO_RING)) == shm::LossCause::kNoRing);
static_assert(stored_cause(cause_of_c(RS_LOSS_NO_SHARED_MEMORY)) ==
              shm::LossCause::kNoSharedMemory);
static_assert(stored_cause(cause_of_c(RS_LOSS_DICTIONARY_FULL)) == shm::LossCause::kDictionaryFull);
static_assert(stored_cause(cause_of_c(RS_LOSS_QUARANTINED)) == shm::LossCause::kQuarantined);
static_assert(stored_cause(cause_of_c(RS_LOSS_TOO_LARGE)) == shm::LossCause::kTooLarge);
static_assert(stored_cause(cause_of_c(RS_LOSS_ABANDONED)) == shm::LossCause::kAbandoned);
static_assert(cause_of_c(RS_LOSS_ANY) == LossCause::any);

}  // namespace ringside
