#pragma once
// The exit statuses of ringctl and its subcommands.

namespace ringside::tool {

inline constexpr int kCtlOk = 0;
inline constexpr int kCtlFailed = 1;  // failed, or failed for some; reported on standard error
inline constexpr int kCtlUsage = 2;   // wrong options
inline constexpr int kCtlNobody = 3;  // nothing matches the request

}  // namespace ringside::tool
