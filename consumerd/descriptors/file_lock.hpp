#pragma once
// The locks of shm-layout/segment_lock.hpp.

#include <cstdint>

namespace ringside::consumer {

// Takes the lock for the life of the open file description. False if another one holds it.
bool try_lock_byte(int fd, std::int64_t byte);

// Takes a read lock, which others may hold too.
bool try_lock_byte_shared(int fd, std::int64_t byte);

// Takes a read lock on all bytes.
bool try_lock_whole_shared(int fd);

// Takes a write lock on all bytes; read locks held by `fd` become part of it.
bool try_lock_whole(int fd);

// Releases a lock before the description is closed.
void unlock_byte(int fd, std::int64_t byte);

// Whether another open file description holds the lock.
bool byte_is_locked(int fd, std::int64_t byte);

// The same, but false on a file system without locks.
bool byte_is_surely_locked(int fd, std::int64_t byte);

}  // namespace ringside::consumer
