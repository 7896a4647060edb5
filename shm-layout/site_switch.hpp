#pragma once
// One byte per site, indexed by site id: the first thing a log call looks at.

#include <cstdint>

namespace ringside::shm {

inline constexpr std::uint8_t kSwitchOff = 0;
inline constexpr std::uint8_t kSwitchOn = 1;
// Where a statement looks before it is registered in a segment, so that one load and one compare
// find both "switched off" and "not registered yet". Unused entries and entry 0 read it too.
inline constexpr std::uint8_t kSwitchUnregistered = 2;
// On, but records carry time 0 and the consumer stamps them: for sites with kSiteConsumerClock.
inline constexpr std::uint8_t kSwitchOnConsumerClock = 3;

}  // namespace ringside::shm
