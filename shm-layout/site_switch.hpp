#pragma once
// One byte per site, indexed by site id: the first thing a log call looks at.

#include <cstdint>

namespace ringside::shm {

inline constexpr std::uint8_t kSwitchOff = 0;
inline constexpr std::uint8_t kSwitchOn = 1;
// Site id 0 always reads this: a statement that has not been registered carries id 0, so one
// load and one compare find both "switched off" and "not registered yet".
inline constexpr std::uint8_t kSwitchUnregistered = 2;

}  // namespace ringside::shm
