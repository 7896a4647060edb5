// The lock by which the writer of a trace file shows that more may come.
#pragma once

#include <cstdint>

namespace ringside::trace {

// Of the trace file: an open-file-description write lock of its writer. The kernel drops it when
// the writer ends. README.md, "Block framing".
inline constexpr std::int64_t kWriterLockByte = 0;

}  // namespace ringside::trace
