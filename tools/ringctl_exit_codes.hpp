#pragma once
// How ringctl and its subcommands end.

namespace ringside::tool {

inline constexpr int kCtlOk = 0;
inline constexpr int kCtlFailed = 1;  // not done, or not for all; said on standard error
inline constexpr int kCtlUsage = 2;   // wrong options
inline constexpr int kCtlNobody = 3;  // nothing that was asked for is there

}  // namespace ringside::tool
