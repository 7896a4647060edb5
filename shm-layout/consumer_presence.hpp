#pragma once
// Shows that a consumerd is alive to services whose segment no consumerd has taken yet. It is an
// empty file in the shared-memory directory that every user may read. A consumerd holds an
// open-file-description read lock on one byte of it for each user whose segments it drains; several
// consumerds share the file. The kernel drops the locks when consumerd dies. The content of the
// file is never read or written: it exists only to be locked.

#include <cstdint>
#include <string_view>

namespace ringside::shm {

inline constexpr std::string_view kPresenceName = "ringside-consumerd.presence";

// The byte that represents the owner of a segment.
constexpr std::int64_t presence_byte(std::uint32_t user_id) {
  return user_id;
}

}  // namespace ringside::shm
