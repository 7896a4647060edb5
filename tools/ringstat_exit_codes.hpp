#pragma once
// How ringstat ends.

namespace ringside::tool {

inline constexpr int kStatOk = 0;
inline constexpr int kStatFailed = 1;  // reading or writing; said on standard error
inline constexpr int kStatUsage = 2;   // wrong options
inline constexpr int kStatNobody = 3;  // --once: no such service
// --watch-exit: what happened first; of several at once the first of these.
inline constexpr int kStatLoss = 10;        // records were lost
inline constexpr int kStatConsumer = 11;    // a service has no consumerd, or one that does not work
inline constexpr int kStatQuarantine = 12;  // a ring was given up
inline constexpr int kStatFull = 13;        // a ring is fuller than --fill

}  // namespace ringside::tool
