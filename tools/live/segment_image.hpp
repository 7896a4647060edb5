// A segment's file, opened only for reading: in the shared-memory directory or a copy of it, of a
// service that runs or is gone. Nothing in it is trusted, and nothing is mapped, so that a file
// that is truncated during reading gives a short read.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "shm-layout/call_cost_counts.hpp"
#include "shm-layout/control_page.hpp"
#include "shm-layout/nested_records.hpp"
#include "shm-layout/overwrite_words.hpp"
#include "shm-layout/ring_metadata.hpp"
#include "shm-layout/segment_header.hpp"
#include "shm-layout/segment_layout.hpp"
#include "trace-format/codec/extent_encoder.hpp"

namespace ringside::tool {

// The words of one ring at some instant.
struct RingWords {
  std::uint64_t producer_pos = 0;
  std::uint64_t dropped_total = 0;
  std::uint64_t dropped_ring_full = 0;
  std::uint64_t dropped_consumer_absent = 0;
  std::uint64_t dropped_quarantined = 0;
  std::uint64_t dropped_abandoned = 0;
  std::uint64_t consumer_pos = 0;
  std::uint64_t next_sequence = 0;
  std::uint64_t last_tsc = 0;
  std::uint64_t booked_drops = 0;
  std::uint64_t booked_consumer_absent = 0;
  std::uint32_t consumed_processor = 0;  // code of the processor at consumer_pos
  shm::OldestRecords oldest;             // for rings that are overwritten
  std::uint32_t consumer_generation = 0;
  std::uint32_t generation = 0;
  std::uint32_t state = 0;  // shm::RingState
  std::uint32_t thread_id = 0;
  std::uint64_t stream_id = 0;
  std::uint64_t start_tsc = 0;
  std::uint64_t start_pos = 0;  // producer_pos when the stream began
  std::string thread_name;

  bool operator==(const RingWords&) const = default;
};

// The words of the control page.
struct ControlWords {
  std::uint32_t rings_used = 0;  // at most the number of rings
  std::uint64_t dictionary_bytes = 0;
  std::uint32_t next_file_sequence = 0;  // of the consumer
  // Records lost without a ring.
  std::uint64_t lost_no_ring = 0;
  std::uint64_t lost_no_memory = 0;
  std::uint64_t lost_dictionary_full = 0;
  std::uint64_t overwritten_streams_lost = 0;
  std::uint64_t clock_steps = 0;
  struct Step {
    std::uint64_t tsc0 = 0;
    std::uint64_t unix_ns0 = 0;
    std::uint64_t ns_per_tick = 0;
  };
  std::array<Step, shm::kClockSteps> steps{};
  std::array<std::uint64_t, shm::kSwitchDeadlineSlots> switch_deadlines{};  // ticks
};

class SegmentImage {
 public:
  // Null with `*why`: the fault of `path`, and the remedy.
  static std::unique_ptr<SegmentImage> open(const std::string& path, std::string* why);
  // The same for a segment in its directory, where other users may have put a link in its place.
  // Null without `*why` if it is gone or not ready yet. It is whole.
  static std::unique_ptr<SegmentImage> open_live(const std::string& path, std::string* why);

  ~SegmentImage();
  SegmentImage(const SegmentImage&) = delete;
  SegmentImage& operator=(const SegmentImage&) = delete;

  const shm::SegmentHeader& header() const {
    return *header_;
  }  // a private copy; texts are terminated
  const shm::SegmentLayout& layout() const { return layout_; }
  bool overwritten() const { return header_->sub_buffer_bytes != 0; }
  std::uint64_t missing_bytes() const;  // how many bytes the file is too short at present
  // False with `*why`: it was truncated, and what was read of it may be zeros.
  bool is_whole(const std::string& path, std::string* why) const;

  // Whether a process holds the lock on this byte (shm-layout/segment_lock.hpp). Never for a copy.
  bool is_locked(std::int64_t byte) const;
  std::uint64_t memory_bytes() const;  // that the file uses in its file system now

  // The bytes of these regions, as many as exist: of the first `count` rings, of sites 0 to
  // `count`.
  std::vector<std::byte> control_page() const;
  std::vector<std::byte> ring_metadata(std::uint32_t count) const;
  std::vector<std::uint8_t> switches(std::uint32_t count) const;
  // For site 0, which represents statements without an id, and sites 1 to `count`: records by
  // cause, in the order of shm::kSiteCauses. Empty for a segment that has none.
  using SiteLossCounts = std::array<std::uint64_t, shm::kSiteCauses.size()>;
  std::vector<SiteLossCounts> site_losses(std::uint32_t count) const;
  // For the same sites, as far as they have counters; saturating.
  struct ExecutionCounts {
    std::uint64_t counted = 0;
    std::uint64_t suppressed = 0;

    bool operator==(const ExecutionCounts&) const = default;
  };
  std::vector<ExecutionCounts> executions(std::uint32_t count) const;
  // For the first `count` rings. Empty for a segment that measures no calls.
  struct RingCallCosts {
    shm::CallCostCounts all;     // for all owners of the ring
    shm::CallCostCounts before;  // for the owners before the present one
  };
  std::vector<RingCallCosts> call_costs(std::uint32_t count) const;

  // Contains zeros where the file ends too early.
  ControlWords control() const;
  RingWords ring_words(std::uint32_t ring) const;
  shm::WholeRanges nested(std::uint32_t ring) const;
  // Where the consumer reads.
  trace::StreamCursor consumer_cursor(std::uint32_t ring, const RingWords& words) const;

  // Bytes [from, from + count) of the dictionary, or of a ring by position; as many as exist. Never
  // more than the file's disk space justifies.
  std::vector<std::byte> dictionary(std::uint64_t count) const;
  std::vector<std::byte> ring_bytes(std::uint32_t ring, std::uint64_t from, std::uint64_t count);

 private:
  trace::StreamContext consumed_context(std::uint32_t ring, const RingWords& words) const;
  SegmentImage() = default;
  static std::unique_ptr<SegmentImage> open_with(const std::string& path, int flags,
                                                 std::string* why);
  bool read_header(const std::string& path, bool live, std::string* why);
  std::vector<std::byte> read_at(std::uint64_t offset, std::uint64_t count) const;
  std::size_t read(std::uint64_t offset, std::span<std::byte> out) const;

  int fd_ = -1;
  std::uint64_t file_bytes_ = 0;
  std::uint64_t backed_bytes_ = 0;
  std::uint64_t ring_budget_ = 0;  // bytes of rings that may still be read
  std::unique_ptr<shm::SegmentHeader> header_;
  shm::SegmentLayout layout_{};
};

}  // namespace ringside::tool
