// Extents that wait for their first record's turn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "trace-format/blocks/block_reader.hpp"
#include "trace-format/reader/decode_pool.hpp"
#include "trace-format/reader/section_catalog.hpp"

namespace ringside::trace {

// Keeps their payloads up to a bound; others are read again later. With a pool, as many are decoded
// ahead as fit in another bound, in the order in which they came.
class WaitingExtents {
 public:
  struct Taken {
    std::uint64_t offset = 0;
    std::vector<std::byte> payload;          // empty: to be read again, or decoded
    std::unique_ptr<DecodedExtent> decoded;  // null: not decoded
    std::size_t decoded_bytes = 0;           // for release()
  };

  // All must outlive it; `pool` may be null.
  WaitingExtents(DecodePool* pool, const SectionCatalog& catalog, const ClockMap& clocks)
      : pool_(pool), catalog_(catalog), clocks_(clocks) {}
  ~WaitingExtents() { settle(); }
  WaitingExtents(const WaitingExtents&) = delete;
  WaitingExtents& operator=(const WaitingExtents&) = delete;

  std::uint32_t add(const Block& block, const ExtentHeader& header);
  Taken take(std::uint32_t slot);
  void release(std::size_t decoded_bytes);  // of an extent that has been read

  // Returns when no thread decodes any more: catalog and clocks may then change.
  void settle();

 private:
  struct Slot {
    std::uint64_t offset = 0;
    std::uint32_t records = 0;
    bool used = false;
    std::vector<std::byte> payload;
    std::shared_ptr<DecodePool::Job> job;
    std::size_t job_bytes = 0;
  };
  struct Candidate {
    std::uint32_t slot = 0;
    std::uint64_t offset = 0;
  };

  void feed();

  DecodePool* pool_;
  const SectionCatalog& catalog_;
  const ClockMap& clocks_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
  std::deque<Candidate> candidates_;  // for the pool
  std::size_t kept_bytes_ = 0;
  std::size_t decoded_bytes_ = 0;
};

}  // namespace ringside::trace
