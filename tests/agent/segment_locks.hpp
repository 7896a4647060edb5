#pragma once
// The locks on a segment's bytes, as another process finds them.

#include <cstdint>
#include <string>

#include "shm-layout/segment_lock.hpp"

namespace ringside::test {

// Whether any process holds the lock on this byte of the file (default: the service's lock). Asks
// as a consumer does, with its own open file description.
bool is_locked(const std::string& path, std::int64_t byte = shm::kServiceLockByte);

}  // namespace ringside::test
