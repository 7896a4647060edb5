#pragma once
// What sees the records of a ring besides the main trace: the seam between the drain and sessions.

#include <cstddef>
#include <cstdint>
#include <span>

#include "consumerd/rings/ring_copy.hpp"
#include "trace-format/codec/extent_encoder.hpp"
#include "trace-format/codec/site_table.hpp"

namespace ringside::consumer {

// Published records of one ring. `records` is a private copy that begins with a record, at position
// `pos` of the ring, and may end within one. The drain takes some or all of it afterwards; the next
// batch may repeat what it did not take.
struct RingBatch {
  std::uint32_t ring = 0;
  const RingOwner& owner;
  const trace::StreamCursor& cursor;  // of the main trace, at `pos`
  std::uint64_t pos = 0;
  std::span<const std::byte> records;
};

class BatchTaker {
 public:
  virtual ~BatchTaker() = default;

  // Called before any of the records is committed to the main trace. Must not fail: what cannot be
  // taken now is lost for the taker, which counts it.
  virtual void take(const trace::SiteTable& sites, const RingBatch& batch) = 0;

  // The service has counted losses that no record in the ring reports. `at` has no records.
  virtual void add_losses(const RingBatch& at, std::uint64_t losses) = 0;

  // Whether some statements are recorded for the taker only: then the main trace gets thin().
  virtual bool thins() const = 0;
  // `records` without those that are not for the main trace; valid until the next call. What is not
  // a whole record at the end stays.
  virtual std::span<const std::byte> thin(const trace::SiteTable& sites,
                                          std::span<const std::byte> records) = 0;
  // The number of bytes of thin()'s argument that the first `taken` bytes of its result represent,
  // with the records after them that were left out.
  virtual std::size_t untrimmed(std::size_t taken) const = 0;
};

}  // namespace ringside::consumer
