#pragma once
// Ownership by locks that the kernel drops when the owner dies: open-file-description write locks
// (fcntl F_OFD_SETLK) on single bytes of the segment's file. A pid never decides liveness, so locks
// work across containers and pid reuse.

#include <cstdint>

namespace ringside::shm {

inline constexpr std::int64_t kServiceLockByte = 0;  // held by the service for life
// held by the consumerd that drains the segment
inline constexpr std::int64_t kConsumerLockByte = 1;
// Held by the tool that requested a snapshot until it has the answer: one tool at a time.
inline constexpr std::int64_t kSnapshotLockByte = 2;
// Held by a tool while it changes switches, levels and policies, or requests a flush or rotation.
inline constexpr std::int64_t kSwitchLockByte = 3;
// Of a staging file: held by the consumerd that uses it.
inline constexpr std::int64_t kStagingLockByte = 0;
// Of a staging file: held by the tool that replaces the program of this consumerd.
inline constexpr std::int64_t kUpgradeLockByte = 1;

}  // namespace ringside::shm
