// The losses of a stream after its last drop record, by cause.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "shm-layout/loss_cause.hpp"
#include "shm-layout/record_head.hpp"
#include "trace-format/codec/extent_encoder.hpp"

namespace ringside::trace {

// A ring's counters, each read once. They come from shared memory and are untrusted.
struct DropCounters {
  std::uint64_t total = 0;
  std::uint64_t ring_full = 0;
  std::uint64_t consumer_absent = 0;
  std::uint64_t quarantined = 0;
  std::uint64_t abandoned = 0;
};

struct UntoldDrops {
  shm::LossCause cause = shm::LossCause::kRingFull;
  std::uint64_t count = 0;
};

// As many in total as `counters.total` is ahead of the cursor. Of the reported drops, the cursor
// knows the number with cause kNoConsumer; the others count as ring full as far as there are any.
inline std::array<UntoldDrops, 4> untold_drops(const DropCounters& counters,
                                               const StreamCursor& cursor) {
  const auto beyond = [](std::uint64_t count, std::uint64_t told) {
    return count > told ? count - told : 0;
  };
  std::uint64_t left = beyond(counters.total, cursor.booked_drops);
  const auto take = [&left](std::uint64_t count) {
    const std::uint64_t taken = std::min(left, count);
    left -= taken;
    return taken;
  };
  const std::uint64_t told_of_others = beyond(cursor.booked_drops, cursor.booked_consumer_absent);
  const std::uint64_t absent =
      take(beyond(counters.consumer_absent, cursor.booked_consumer_absent));
  const std::uint64_t full_or_given_up = counters.ring_full + counters.quarantined;
  const std::uint64_t abandoned = take(
      std::min(counters.abandoned, beyond(full_or_given_up + counters.abandoned, told_of_others)));
  const std::uint64_t quarantined =
      take(std::min(counters.quarantined, beyond(full_or_given_up, told_of_others)));
  return {{{shm::LossCause::kRingFull, left},
           {shm::LossCause::kNoConsumer, absent},
           {shm::LossCause::kQuarantined, quarantined},
           {shm::LossCause::kAbandoned, abandoned}}};
}

// The drop record that the thread would have written with its next log call.
inline std::array<std::uint64_t, 3> drop_record(const UntoldDrops& drops,
                                                const StreamCursor& cursor) {
  return {shm::make_head(cursor.last_tsc, shm::kCodeDrop), drops.count,
          static_cast<std::uint32_t>(drops.cause)};
}

}  // namespace ringside::trace
