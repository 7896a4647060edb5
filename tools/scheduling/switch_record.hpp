#pragma once
// What the kernel records of a thread: it got a processor, it gave it up, it began, it ended.

#include <cstdint>
#include <string>

namespace ringside::tool {

enum class SwitchKind : std::uint8_t {
  kIn,         // runs from now on
  kWaited,     // runs no longer: it waits for something
  kPreempted,  // runs no longer, although it could
  kBegan,      // was created by another thread of the process
  kEnded,
  kNamed,
  kLost,  // the kernel had no room for `lost` records, of this or other threads
};

struct SwitchRecord {
  SwitchKind kind = SwitchKind::kIn;
  std::uint32_t thread_id = 0;
  std::uint32_t processor = 0;
  std::uint64_t unix_ns = 0;
  std::uint64_t lost = 0;
  std::string name;
};

}  // namespace ringside::tool
