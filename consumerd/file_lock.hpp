#pragma once
// The locks of shm-layout/segment_lock.hpp.

#include <cstdint>

namespace ringside::consumer {

// Takes the lock for the life of the open file description. False if another holds it.
bool try_lock_byte(int fd, std::int64_t byte);

// Gives it back before that.
void unlock_byte(int fd, std::int64_t byte);

// Whether anybody else holds the lock.
bool byte_is_locked(int fd, std::int64_t byte);

}  // namespace ringside::consumer
