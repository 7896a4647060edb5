// The lock by which a process that follows a trace file shows itself to the writer.
#pragma once

#include <cstdint>

namespace ringside::trace {

// Of the trace file: an open-file-description read lock of each follower. The kernel drops it when
// the follower ends. README.md, "Followers".
inline constexpr std::int64_t kFollowerLockByte = 1;

}  // namespace ringside::trace
