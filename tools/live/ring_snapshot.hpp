// A consistent state of one ring, copied while its service and a consumer may run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tools/live/segment_image.hpp"

namespace ringside::tool {

struct RingSnapshot {
  RingWords words;
  std::vector<std::byte> bytes;      // those before words.producer_pos
  std::uint64_t expected_bytes = 0;  // as many as these should be
};

// What the consumer has not taken. Copies the bytes between two reads of the consumer's words:
// bytes that a consumer released in between may have been overwritten and are left out; the others
// were not. The words are read until they are stable.
RingSnapshot drained_ring(SegmentImage& image, std::uint32_t ring);

// All that a ring has that is overwritten during reading; the letters in the code are those of
// shm-layout/overwrite_words.hpp.
RingSnapshot overwritten_ring(SegmentImage& image, std::uint32_t ring);

// Leaves out what snapshots of a ring that is overwritten have taken. False, and nothing is
// changed, if the rest does not follow the newest one.
bool drop_taken(RingSnapshot& shot);

// Adds the records of signal handlers within a call that never ended, for a service that is gone.
void add_nested(SegmentImage& image, std::uint32_t ring, RingSnapshot& shot);

}  // namespace ringside::tool
