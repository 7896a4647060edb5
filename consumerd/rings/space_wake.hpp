#pragma once
// Wakes the thread of a ring that was full (shm-layout/README.md, "A thread that waits for space").

#include <cstdint>

#include "shm-layout/ring_metadata.hpp"
#include "shm-layout/space_word.hpp"

namespace ringside::consumer {

// Of one ring. One thread at a time uses it.
class SpaceWake {
 public:
  // The first call of read_up_to() always looks.
  SpaceWake(shm::RingMetadata& ring, std::uint64_t ring_bytes, std::uint64_t pos)
      : ring_(&ring), ring_bytes_(ring_bytes), looked_pos_(pos - ring_bytes) {}

  // After `pos` was stored as the consumer's position: if a quarter of the ring was read since it
  // last looked, looks whether the ring's thread waits, and wakes it once half of the ring is free.
  // At most one system call.
  void read_up_to(std::uint64_t pos) {
    if (pos - looked_pos_ >= ring_bytes_ / shm::kSpaceChecks && look(pos)) looked_pos_ = pos;
  }

 private:
  // False: it waits, but less than half is free. Look again with the next progress.
  bool look(std::uint64_t pos) const;

  shm::RingMetadata* ring_;
  std::uint64_t ring_bytes_;
  std::uint64_t looked_pos_;
};

}  // namespace ringside::consumer
