#pragma once
// The exit statuses of ringstat.

namespace ringside::tool {

inline constexpr int kStatOk = 0;
inline constexpr int kStatFailed = 1;  // reading or writing failed; reported on standard error
inline constexpr int kStatUsage = 2;   // wrong options
inline constexpr int kStatNobody = 3;  // --once: no such service
// --watch-exit: the first problem; of several at once, the first in this list.
inline constexpr int kStatLoss = 10;        // records were lost
inline constexpr int kStatConsumer = 11;    // a service has no consumerd, or one that does not work
inline constexpr int kStatQuarantine = 12;  // a ring was quarantined
inline constexpr int kStatFull = 13;        // a ring is fuller than --fill

}  // namespace ringside::tool
