#pragma once
// The locks on a segment's bytes, as another process sees them.

#include <cstdint>
#include <string>

#include "shm-layout/segment_lock.hpp"

namespace ringside::test {

// Whether anybody holds the lock on this byte of the file: the service's unless told otherwise.
// Asked as a consumer does, with an open file description of its own.
bool is_locked(const std::string& path, std::int64_t byte = shm::kServiceLockByte);

}  // namespace ringside::test
