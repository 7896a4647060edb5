#pragma once
// The layout of records and control records in a ring. All integers are little-endian and
// unaligned; a record is contiguous because the ring is mapped twice back to back.
//
//   plain     | head 8 | arguments |
//   extended  | head 8 | site u32 | flags u32 | bytes u32 | optional parts | arguments |
//   clock     | head 8 | tsc u64 | realtime_ns u64 |
//   drop      | head 8 | count u64 | cause u32 | 0 u32 |
//   pad       | head 8 | anything |
//
//   head:  63                                    20 19                0
//          |  tsc, lower 44 bits (pad: its bytes)  | site id or code   |
//
//   clock: the 44 bits are those of its tsc, exclusive or with the code of the processor that the
//   thread runs on (clock_processor() below)
//
// Arguments follow in the order of the site's fields, without the constant fields: numbers in their
// natural size, strings and bytes as u32 length + bytes, arrays as u32 count + elements.

#include "required_platform.hpp"
// Before all others.
#include <cstdint>

namespace ringside::shm {

inline constexpr unsigned kHeadIdBits = 20;
inline constexpr std::uint64_t kHeadIdMask = (std::uint64_t{1} << kHeadIdBits) - 1;
inline constexpr unsigned kHeadTscBits = 44;
inline constexpr std::uint64_t kHeadTscMask = (std::uint64_t{1} << kHeadTscBits) - 1;
inline constexpr std::uint32_t kHeadBytes = 8;

// Ids from this value are codes of control records. Id 0 is never valid: it is untouched memory.
inline constexpr std::uint32_t kFirstControlCode = 0xFFFF0;
inline constexpr std::uint32_t kCodePad = 0xFFFFC;
inline constexpr std::uint32_t kCodeExtended = 0xFFFFD;
inline constexpr std::uint32_t kCodeDrop = 0xFFFFE;
inline constexpr std::uint32_t kCodeClock = 0xFFFFF;
inline constexpr std::uint32_t kMaxSiteId = kFirstControlCode - 1;

inline constexpr std::uint32_t kClockRecordBytes = 24;
inline constexpr std::uint32_t kDropRecordBytes = 24;
inline constexpr std::uint32_t kExtendedHeadBytes = 20;

// A clock record is due once the time since the last one in its ring has reached 2^42 ticks, a
// quarter of what the head can express: decoding stays unambiguous with a margin of a factor of
// two.
inline constexpr std::uint64_t kClockIntervalTicks = std::uint64_t{1} << 42;

// Flags of an extended record. Each optional part follows in the order of its bit.
inline constexpr std::uint32_t kExtSubstream = 1U << 0;        // u64
inline constexpr std::uint32_t kExtActivity = 1U << 1;         // 16 bytes
inline constexpr std::uint32_t kExtRelatedActivity = 1U << 2;  // 16 bytes
inline constexpr std::uint32_t kExtStack = 1U << 3;            // u32
inline constexpr std::uint32_t kExtDuration = 1U << 4;         // u64, ticks
inline constexpr std::uint32_t kExtCut = 1U << 5;              // no bytes: strings were cut
// No bytes; only with kExtDuration: the head's time is that of the end, and the record's time is
// that of the beginning. So the times in a ring rise, however long a span is.
inline constexpr std::uint32_t kExtFromEnd = 1U << 6;
inline constexpr std::uint32_t kExtKnownFlags = 0x7F;

constexpr std::uint64_t make_head(std::uint64_t tsc, std::uint32_t id) {
  return tsc << kHeadIdBits | id;
}
constexpr std::uint32_t head_id(std::uint64_t head) {
  return static_cast<std::uint32_t>(head & kHeadIdMask);
}
constexpr std::uint64_t head_tsc(std::uint64_t head) {
  return head >> kHeadIdBits;
}

// The code of a processor: its number plus one. 0: unknown, as in records of libraries before 1.7.
inline constexpr std::uint32_t kMaxProcessorCode = 0xFFFF;
constexpr std::uint32_t processor_code(std::uint32_t number) {
  return number < kMaxProcessorCode ? number + 1 : 0;
}

constexpr std::uint64_t make_clock_head(std::uint64_t tsc, std::uint32_t processor) {
  return make_head(tsc ^ processor, kCodeClock);
}
// The code of the processor in a clock record with this head and time stamp.
constexpr std::uint32_t clock_processor(std::uint64_t head, std::uint64_t tsc) {
  const std::uint64_t code = head_tsc(head) ^ (tsc & kHeadTscMask);
  return code <= kMaxProcessorCode ? static_cast<std::uint32_t>(code) : 0;
}

// The full time stamp nearest to `reference` whose lower 44 bits are `truncated`.
constexpr std::uint64_t widen_tsc(std::uint64_t truncated, std::uint64_t reference) {
  const std::uint64_t distance = (truncated - reference) & kHeadTscMask;
  const bool backwards = (distance >> (kHeadTscBits - 1)) != 0;
  return backwards ? reference - ((kHeadTscMask + 1) - distance) : reference + distance;
}

// Also of flags from files, which may be wider.
constexpr bool are_valid_flags(std::uint64_t flags) {
  const bool has_end = (flags & kExtFromEnd) == 0 || (flags & kExtDuration) != 0;
  return flags <= kExtKnownFlags && has_end;
}

// Bytes of the optional parts that `flags` indicates.
constexpr std::uint32_t extended_parts_bytes(std::uint32_t flags) {
  return ((flags & kExtSubstream) != 0 ? 8U : 0U) + ((flags & kExtActivity) != 0 ? 16U : 0U) +
         ((flags & kExtRelatedActivity) != 0 ? 16U : 0U) + ((flags & kExtStack) != 0 ? 4U : 0U) +
         ((flags & kExtDuration) != 0 ? 8U : 0U);
}

// The strings of a record larger than a quarter of its ring, or than this limit, are cut.
inline constexpr std::uint32_t kMaxRecordBytes = 1U << 20;
constexpr std::uint32_t max_record_bytes(std::uint64_t ring_bytes) {
  return ring_bytes / 4 < kMaxRecordBytes ? static_cast<std::uint32_t>(ring_bytes / 4)
                                          : kMaxRecordBytes;
}

}  // namespace ringside::shm
