#pragma once
// The staging file of one consumerd: encoded bytes on their way from rings to trace files. It
// outlives its consumerd, so that bytes taken out of a ring are never only in private memory.
//
//   | header 4 KiB | slot header 64 KiB x S | slot data slot_bytes x S |
//
// A slot collects blocks for one trace file at one offset. One store of its commit word defines how
// many bytes are complete and how many journal entries belong to them:
//
//   63             32 31              0
//   | journal count  | committed bytes |        0: the slot is free
//
// Order of one drain:   bytes and journal entry -> commit word (release) -> consumer_pos (release)
// Order of one write:   bytes reach the file at file_offset -> commit word = 0
// After a crash the next consumerd writes each committed slot again at the same offset, and moves
// each ring's consumer_pos to the last journal entry that is ahead of it.

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "segment_header.hpp"

namespace ringside::shm {

// "RSSTAGE1" in little-endian byte order.
inline constexpr std::uint64_t kStagingMagic = 0x3145474154535352;
inline constexpr std::uint32_t kStagingVersion = 1;
inline constexpr std::uint32_t kMaxStagingSlots = 1024;
inline constexpr std::uint64_t kMaxSlotBytes = std::uint64_t{1} << 28;
inline constexpr std::uint32_t kJournalEntries = 1024;
inline constexpr std::size_t kSlotHeaderBytes = 64U << 10;

struct StagingHeader {
  std::uint64_t magic;
  std::atomic<std::uint32_t> version;  // stored last
  std::uint32_t slot_count;
  std::uint64_t slot_bytes;  // a multiple of the page
  std::uint32_t owner_pid;   // a label; ownership is the lock
  std::uint32_t reserved0;
  std::uint8_t uuid[16];
  // The absolute directory of the segments, zero padded, if the staging file is in another
  // directory; empty if it is in the same one.
  char shm_dir[1024];
  std::uint8_t reserved[kPageBytes - 1072];
};

// The values for the consumer line of one ring once the committed bytes are safe.
struct JournalEntry {
  std::uint32_t ring_index;
  std::uint32_t generation;
  std::uint64_t consumer_pos;
  std::uint64_t next_sequence;
  std::uint64_t last_tsc;
  std::uint64_t booked_drops;
  std::uint64_t booked_consumer_absent;  // since 1.1; 0 before
};

struct SlotHeader {
  std::atomic<std::uint64_t> commit;  // see above
  std::uint64_t file_offset;          // of the slot's first byte
  std::uint8_t segment_uuid[16];
  std::uint64_t file_device;  // st_dev and st_ino of the trace file
  std::uint64_t file_inode;
  char segment_name[256];  // in the shared-memory directory, zero padded
  char file_path[3072];    // absolute, zero padded
  std::uint8_t reserved[720];
  JournalEntry journal[kJournalEntries];
  // For each entry, the code of the processor (record_head.hpp) of the record at its consumer_pos.
  // Since 1.7; 0 before.
  std::uint32_t journal_processor[kJournalEntries];
  std::uint8_t reserved2[kSlotHeaderBytes - kPageBytes -
                         kJournalEntries * (sizeof(JournalEntry) + sizeof(std::uint32_t))];
};

constexpr std::uint64_t make_commit(std::uint32_t bytes, std::uint32_t journal_count) {
  return std::uint64_t{journal_count} << 32 | bytes;
}
constexpr std::uint32_t commit_bytes(std::uint64_t commit) {
  return static_cast<std::uint32_t>(commit);
}
constexpr std::uint32_t commit_journal(std::uint64_t commit) {
  return static_cast<std::uint32_t>(commit >> 32);
}

constexpr std::uint64_t slot_header_offset(std::uint32_t slot) {
  return kPageBytes + std::uint64_t{slot} * kSlotHeaderBytes;
}
constexpr std::uint64_t slot_data_offset(std::uint32_t slot, std::uint32_t slot_count,
                                         std::uint64_t slot_bytes) {
  return slot_header_offset(slot_count) + slot * slot_bytes;
}

static_assert(offsetof(StagingHeader, magic) == 0);
static_assert(offsetof(StagingHeader, version) == 8);
static_assert(offsetof(StagingHeader, slot_count) == 12);
static_assert(offsetof(StagingHeader, slot_bytes) == 16);
static_assert(offsetof(StagingHeader, owner_pid) == 24);
static_assert(offsetof(StagingHeader, uuid) == 32);
static_assert(offsetof(StagingHeader, shm_dir) == 48);
static_assert(sizeof(StagingHeader) == kPageBytes);
static_assert(offsetof(JournalEntry, ring_index) == 0);
static_assert(offsetof(JournalEntry, generation) == 4);
static_assert(offsetof(JournalEntry, consumer_pos) == 8);
static_assert(offsetof(JournalEntry, next_sequence) == 16);
static_assert(offsetof(JournalEntry, last_tsc) == 24);
static_assert(offsetof(JournalEntry, booked_drops) == 32);
static_assert(offsetof(JournalEntry, booked_consumer_absent) == 40);
static_assert(sizeof(JournalEntry) == 48);
static_assert(offsetof(SlotHeader, commit) == 0);
static_assert(offsetof(SlotHeader, file_offset) == 8);
static_assert(offsetof(SlotHeader, segment_uuid) == 16);
static_assert(offsetof(SlotHeader, file_device) == 32);
static_assert(offsetof(SlotHeader, file_inode) == 40);
static_assert(offsetof(SlotHeader, segment_name) == 48);
static_assert(offsetof(SlotHeader, file_path) == 304);
static_assert(offsetof(SlotHeader, journal) == 4096);
static_assert(offsetof(SlotHeader, journal_processor) == 53248);
static_assert(sizeof(SlotHeader) == kSlotHeaderBytes);

}  // namespace ringside::shm
