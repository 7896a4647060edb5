#pragma once
// The library's state in this process: one segment, or the reason for not having one.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "libagent/include/ringside/ringside.hpp"
#include "libagent/process/cancellation_off.hpp"
#include "libagent/process/segment_descriptor.hpp"
#include "libagent/process/zeroed_array.hpp"
#include "libagent/recording/call_cost.hpp"
#include "libagent/recording/record_walk.hpp"
#include "shm-layout/call_costs.hpp"
#include "shm-layout/control_page.hpp"
#include "shm-layout/nested_records.hpp"
#include "shm-layout/ring_metadata.hpp"
#include "shm-layout/segment_header.hpp"
#include "shm-layout/segment_layout.hpp"
#include "shm-layout/site_losses.hpp"

namespace ringside {

// Causes of records without a ring or segment: no ring, no shared memory, dictionary full.
inline constexpr std::size_t kRefusalCauses = 3;

inline constexpr std::uint64_t kUnboundedMs = UINT64_MAX;

// The part of a ring that has memory (ring_memory.hpp): positions [begin, end). Written by the
// thread that has the ring.
struct RingMemory {
  std::uint64_t begin;
  std::uint64_t end;
  bool has_all_copies;  // false: only the second one is mapped
};

// A mapped segment. Immutable once published in Agent::segment, except the memory that it points
// to.
struct Segment {
  Segment() = default;
  ~Segment();  // only for an incomplete segment: a live one stays until the process ends
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;

  // The service lock (shm-layout/segment_lock.hpp) holds for the process's life: the mappings keep
  // it, even if the descriptor is lost.
  SegmentDescriptor descriptor;
  std::string path;
  std::string presence_path;  // of the consumerds of its directory
  std::uint32_t user_id = 0;  // owner of the segment
  shm::SegmentLayout layout{};
  std::byte* head = nullptr;  // everything before the rings
  std::size_t head_bytes = 0;
  shm::SegmentHeader* header = nullptr;
  shm::ControlPage* control = nullptr;
  shm::RingMetadata* rings = nullptr;
  shm::NestedRecords* nested = nullptr;  // per ring
  std::uint8_t* switches = nullptr;
  std::byte* dictionary = nullptr;
  shm::SiteLosses* site_losses = nullptr;
  std::byte* site_executions = nullptr;
  std::atomic<std::uint32_t> sites_counted{0};          // entries of site_losses that have memory
  std::atomic<std::uint32_t> sites_with_executions{0};  // the same of site_executions
  // Costs of about one in cost_sampling log calls; has memory for the same entries as the rings.
  // Null: not measured.
  shm::CallCosts* call_costs = nullptr;
  std::uint32_t cost_sampling = 0;
  MeasuringTicks measuring_ticks;
  // For a segment whose file was removed (segment_succession.hpp). Protected by the agent's lock,
  // except the flag.
  Segment* replaced = nullptr;  // the segment that this one replaced; given back, but never freed
  bool is_removed = false;
  std::atomic<bool> consumer_is_gone{false};
  std::atomic<bool> is_given_back{false};
  // A durable flush has already returned false for the loss of this segment.
  std::atomic<bool> told_not_durable{false};
  bool is_guarded = false;
  std::atomic<bool> is_truncated{false};  // pages of its file are missing, or were
  // What is before the rings is private memory now, and its content is lost.
  std::atomic<bool> has_lost_head{false};
  bool told_refusals_are_known = false;
  // Failures of a consumer to sync for which a durable flush has already returned false.
  std::atomic<std::uint64_t> told_sync_failures{0};
  std::unique_ptr<std::uint64_t[]> counted_as_lost;  // per ring: up to this position or number
  // Refusals in its control page that a consumer has reported, as far as is known.
  std::array<std::uint64_t, kRefusalCauses> told_refusals{};
  // Losses that this segment counted and that its successor counts now: per ring, and in the order
  // of shm::kCountedCauses.
  using DropsByCause = std::array<std::uint64_t, 4>;
  std::unique_ptr<DropsByCause[]> carried_drops;
  std::array<std::uint64_t, shm::kCountedCauses.size()> carried_losses{};
  // For a segment that others may truncate (truncation_guard.hpp), like the three flags above.
  // Per ring: whether its mapping is private memory now, so that records were written nowhere.
  enum class RingLoss : std::uint8_t { none, uncounted, counted };
  std::unique_ptr<std::atomic<RingLoss>[]> ring_losses;
  // Copies of what would be lost with the head: the refusals counted in its page and, if it is
  // guarded, the entries of its dictionary and the losses per ring, in the order of DropsByCause.
  std::array<std::atomic<std::uint64_t>, kRefusalCauses> own_refusals{};
  std::vector<std::byte> own_dictionary;
  using RingCounts = std::array<std::atomic<std::uint64_t>, 4>;
  std::unique_ptr<RingCounts[]> own_ring_counts;
  Segment* former = nullptr;  // of the parent process, kept because interrupted calls may use it
  // Not 0: rings are overwritten, in sub-buffers of this size (SegmentHeader).
  std::uint64_t sub_buffer_bytes = 0;
  std::unique_ptr<RecordShapes> shapes;  // only then
  // By site id: the id of the statement's records with a stack (stacked_statement.hpp). Null: no
  // statement ever had stacks.
  ZeroedArray<std::atomic<std::uint32_t>> stacked_id_memory;
  std::atomic<std::atomic<std::uint32_t>*> stacked_ids{nullptr};
  std::uint64_t dictionary_reserved = 0;  // bytes with memory; an access to the rest raises SIGBUS
  // The same: rings with metadata, and statements with a switch.
  std::uint32_t rings_reserved = 0;
  bool keeps_contexts = false;  // entries for these rings are reserved, too
  std::uint32_t switches_reserved = 0;
  // This process's own data in the segment. The segment has the same, but others may write to it.
  std::uint64_t dictionary_committed = 0;
  std::uint32_t site_count = 0;
  std::uint32_t rings_used = 0;
  // Without a consumer. The value in the segment may be lower; higher values are ignored.
  std::uint32_t absent_timeout_ms = 0;
  std::uint64_t live_timeout_ms = 0;   // with a live one; kUnboundedMs: as long as one lives
  std::uint64_t ticks_per_second = 0;  // about
  // How often logging threads check that the file still has its name; 0: never.
  std::uint64_t look_interval_ticks = 0;
  // How long a thread goes on without checking its processor; kNoInterval: no processors are
  // recorded.
  static constexpr std::uint64_t kNoInterval = UINT64_MAX;
  std::uint64_t processor_interval_ticks = kNoInterval;
  // CLOCK_MONOTONIC when the consumer's lock was last seen; 0: never.
  std::atomic<std::uint64_t> consumer_seen_ns{0};
  std::atomic<bool> waited_for_live{false};  // the last wait that timed out was for a live consumer
  // A wait for a ring timed out although the consumer is alive, and no ring became free since.
  std::atomic<bool> ring_awaited_in_vain{false};
  std::unique_ptr<std::uint32_t[]> ring_owner;  // per ring: id of its thread, or 0
  // Per ring: whether its thread never wakes the consumer (consumer_wake.hpp).
  std::unique_ptr<std::atomic<bool>[]> ring_is_silent;
  // Per ring: its mapping (kRingCopies times), null if it was never mapped.
  ZeroedArray<std::atomic<std::byte*>> ring_base;
  ZeroedArray<RingMemory> ring_memory;  // per ring that was mapped
};

struct Agent {
  // Protects all non-atomic members below, and all slow paths that create, register or attach.
  // Taken only through SlowPathLock, which blocks signals first: user code never runs on a thread
  // that holds it.
  std::atomic<State> state{State::idle};
  std::atomic<Segment*> segment{nullptr};  // never freed while the process can log
  Options options;
  bool options_are_final = false;  // the environment has been applied
  bool huge_pages = false;         // see use_huge_pages(); the same
  std::string message;
  std::atomic<std::uint64_t> refused{0};
  std::atomic<std::uint64_t> retry_at_ns{0};  // after a refusal, CLOCK_MONOTONIC
  // The level while there is no segment; later it is in the control page.
  std::atomic<std::uint8_t> level{RS_LEVEL_TRACE};
  std::uint64_t dictionary_retry_at_ns = 0;
  // Refusals without a segment: the next segment takes them over. In the order of kCausesOfRefusal.
  std::array<std::atomic<std::uint64_t>, kRefusalCauses> unbooked_refusals{};
  std::uint64_t dropped_by_former_owners = 0;  // of rings that have a new owner since
  // The same by cause, in the order of shm::kCountedCauses.
  std::array<std::uint64_t, shm::kCountedCauses.size()> counted_for_former_owners{};
  Segment* former_segment = nullptr;  // of the parent process
  rs_site* sites = nullptr;           // all loaded statements, newest first
};

Agent& agent();

// Blocks all signals of the calling thread, then takes the agent's lock. If this thread already
// holds it, an allocator that the library called is calling the library. Messages reported under
// the lock are written after its release.
class SlowPathLock {
 public:
  // A log call waits at most two seconds: an allocator that logs with its own lock held would
  // otherwise wait forever for a thread that allocates with this lock held.
  enum class Wait { unlimited, bounded };
  explicit SlowPathLock(Wait wait = Wait::unlimited);
  ~SlowPathLock();
  bool is_taken() const { return is_taken_; }
  // Whether the calling thread holds it; call this before taking the lock again.
  static bool is_held();
  SlowPathLock(const SlowPathLock&) = delete;
  SlowPathLock& operator=(const SlowPathLock&) = delete;

 private:
  void release();
  void release_and_write_reports();

  const CancellationOff cancellation_off_;
  const bool is_first_;
  bool is_taken_ = true;
  unsigned char saved_mask_[128];  // sigset_t, kept out of this header
};

// Whether this is a child that was created without the fork handlers (vfork, a bare clone). Its
// state is its parent's, perhaps in the parent's memory: it gets neither segment nor ring, and ends
// none.
bool was_made_around_fork();
// Call in a child created by fork.
void is_a_process_of_its_own();

// Creates the segment if there is none and none was refused just now. The caller holds the lock.
// Returns false if there still is none.
bool ensure_segment(Agent& agent);

std::uint64_t monotonic_ns();

}  // namespace ringside
