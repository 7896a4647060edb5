#pragma once
// The exit statuses of ringcat and its subcommands.

namespace ringside::tool {

inline constexpr int kExitOk = 0;          // also for a file that is still being written
inline constexpr int kExitDamaged = 1;     // part of the input was invalid
inline constexpr int kExitUsage = 2;       // wrong options
inline constexpr int kExitUnreadable = 3;  // nothing could be read, or nothing written

}  // namespace ringside::tool
