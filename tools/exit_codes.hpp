#pragma once
// How ringcat and its subcommands end.

namespace ringside::tool {

inline constexpr int kExitOk = 0;          // a file that is still being written is no damage
inline constexpr int kExitDamaged = 1;     // something was read, but not all of it was sound
inline constexpr int kExitUsage = 2;       // wrong options
inline constexpr int kExitUnreadable = 3;  // nothing could be read, or nothing written

}  // namespace ringside::tool
