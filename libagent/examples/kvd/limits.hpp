// All limits on the resources of one client, in one place.
#pragma once

#include <cstddef>

namespace kvd {

inline constexpr std::size_t kKiB = 1024;
inline constexpr std::size_t kMiB = 1024 * kKiB;

// Limits of one request. The parser takes them as a value so that tests can use small ones.
struct RequestLimits {
  std::size_t inline_bytes = 64 * kKiB;    // an inline request, without its line end
  std::size_t count_line_bytes = 64;       // "*<n>" or "$<n>", without its line end
  std::size_t array_length = 65536;        // arguments, the command's name included
  std::size_t bulk_bytes = 64 * kMiB;      // one argument (Redis: 512 MiB)
  std::size_t request_bytes = 128 * kMiB;  // all arguments with their framing
};

// A connection with this much unsent output executes nothing more and is not read from.
inline constexpr std::size_t kOutputPauseBytes = 1 * kMiB;
// Output beyond this closes the connection. Above the pause only a single reply can reach it.
inline constexpr std::size_t kOutputLimitBytes = 128 * kMiB;
// Bytes discarded after the last reply, so that the close does not reset the connection before the
// client has read that reply.
inline constexpr std::size_t kLingerBytes = 4 * kMiB;

inline constexpr std::size_t kReadBytes = 64 * kKiB;
inline constexpr std::size_t kMaxClients = 1024;
inline constexpr unsigned kMaxThreads = 64;

// The memory of a buffer that grew beyond this for one large request is freed when it is empty.
inline constexpr std::size_t kKeptBufferBytes = 1 * kMiB;

}  // namespace kvd
