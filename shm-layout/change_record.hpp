#pragma once
// Who changed what is collected, for the trace: README.md, "Changes of what is collected".

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "segment_header.hpp"

namespace ringside::shm {

enum class ChangeAuthor : std::uint32_t {
  kUnknown = 0,
  kTool = 1,     // ringctl, or another program that controls services
  kTrigger = 2,  // a trigger of a consumer
};

inline constexpr std::size_t kChangeUserBytes = 32;
inline constexpr std::size_t kChangeCommandBytes = 64;

// One change of switches, level or policy. Labels for people: any process that may write to the
// segment can write anything here.
struct ChangeRecord {
  std::uint64_t number;  // from 1
  std::uint64_t tsc;
  std::uint32_t uid;
  std::uint32_t pid;     // as the program sees itself
  std::uint32_t author;  // ChangeAuthor
  std::uint32_t reserved;
  char user[kChangeUserBytes];        // as the program's environment names it; zero padded
  char command[kChangeCommandBytes];  // "ringctl level debug --for 30s"; zero padded
};

inline constexpr std::size_t kChangeRecords = 8;

// The last changes by tools. A program that holds kSwitchLockByte stores the record of number
// `count` + 1 at index (number - 1) % 8, then the count, and only then makes the change: if it is
// killed in between, the change has an author. A consumer reads them under the same lock.
struct alignas(kCacheLineBytes) ChangeRecords {
  std::atomic<std::uint64_t> count;
  std::uint64_t reserved[7];
  ChangeRecord records[kChangeRecords];
};

// Changes of the level by the service itself, in its only thread that may: `count` is odd during a
// change, and twice the number of changes otherwise. Release; paired with the acquire in the
// consumer, which reads the switches again if the count has moved meanwhile.
struct alignas(kCacheLineBytes) ServiceChanges {
  std::atomic<std::uint64_t> count;
  std::atomic<std::uint64_t> tsc;  // of the last one
  std::uint64_t reserved[6];
};

// The changes that the trace already states, for the successor of a consumer. Stored after the
// block that states them was committed: a consumer that is killed in between leaves them to be
// stated again.
struct alignas(kCacheLineBytes) StatedChanges {
  std::atomic<std::uint64_t> tools;    // numbers of ChangeRecords up to here
  std::atomic<std::uint64_t> service;  // number of changes by the service up to here
  std::uint64_t reserved[6];
};

static_assert(sizeof(ChangeRecord) == 128);
static_assert(offsetof(ChangeRecord, user) == 32);
static_assert(offsetof(ChangeRecord, command) == 64);
static_assert(sizeof(ChangeRecords) == 17 * kCacheLineBytes);
static_assert(offsetof(ChangeRecords, records) == kCacheLineBytes);
static_assert(sizeof(ServiceChanges) == kCacheLineBytes);
static_assert(sizeof(StatedChanges) == kCacheLineBytes);

}  // namespace ringside::shm
