#pragma once
// What holds for the next record of a ring, from the records before it.

#include <cstdint>

#include "consumerd/rings/followed_context.hpp"

namespace ringside::consumer {

struct WatchedStream {
  std::uint32_t processor = 0;  // its code, shm::processor_code()
  FollowedContext context;
};

}  // namespace ringside::consumer
