#pragma once
// Messages between consumerd and the process that runs its hooks: one packet each.

#include <cstdint>

namespace ringside::consumer {

// Texts are zero padded; longer texts are cut.
struct HookRequest {
  std::uint32_t command;  // index among the hooks configured at start
  std::uint32_t pid;
  char service[64];
  char statement[256];
  char message[4096];
};

enum class HookEnd : std::uint32_t {
  kExited = 0,      // value: the exit status
  kSignalled = 1,   // value: the signal
  kTooLong = 2,     // killed; value: after this many milliseconds
  kNotStarted = 3,  // value: errno
  kStillRuns = 4,   // the previous run has not ended; this one was not started
};

struct HookReport {
  std::uint32_t command;
  HookEnd end;
  std::int32_t value;
};

}  // namespace ringside::consumer
