#pragma once
// The library's state in this process: one segment, or the reason why there is none.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "libagent/call_cost.hpp"
#include "libagent/cancellation_off.hpp"
#include "libagent/include/ringside/ringside.hpp"
#include "libagent/record_walk.hpp"
#include "libagent/unique_fd.hpp"
#include "shm-layout/call_costs.hpp"
#include "shm-layout/control_page.hpp"
#include "shm-layout/ring_metadata.hpp"
#include "shm-layout/segment_header.hpp"
#include "shm-layout/segment_layout.hpp"
#include "shm-layout/site_losses.hpp"

namespace ringside {

// Why a record finds no ring or no segment: no ring, no shared memory, dictionary full.
inline constexpr std::size_t kRefusalCauses = 3;

// A mapped segment. Immutable once published in Agent::segment, but for what it points to.
struct Segment {
  Segment() = default;
  ~Segment();  // of one that could not be completed: a live one stays to the process's end
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;

  UniqueFd fd;  // holds the service lock (shm-layout/segment_lock.hpp) for the process's life
  std::string path;
  shm::SegmentLayout layout{};
  std::byte* head = nullptr;  // everything before the rings
  std::size_t head_bytes = 0;
  shm::SegmentHeader* header = nullptr;
  shm::ControlPage* control = nullptr;
  shm::RingMetadata* rings = nullptr;
  std::uint8_t* switches = nullptr;
  std::byte* dictionary = nullptr;
  shm::SiteLosses* site_losses = nullptr;
  std::atomic<std::uint32_t> sites_counted{0};  // entries of site_losses that memory backs
  // Of one in about cost_sampling log calls; backed by memory as far as rings are. Null: of none.
  shm::CallCosts* call_costs = nullptr;
  std::uint32_t cost_sampling = 0;
  MeasuringTicks measuring_ticks;
  Segment* former = nullptr;  // of the parent process, kept because interrupted calls may use it
  // Not 0: rings are overwritten, in sub-buffers of so many bytes (SegmentHeader).
  std::uint64_t sub_buffer_bytes = 0;
  std::unique_ptr<RecordShapes> shapes;   // only then
  std::uint64_t dictionary_reserved = 0;  // bytes backed by memory; the rest would be SIGBUS
  // What this process has put there. The segment says the same, but others may write to it.
  std::uint64_t dictionary_committed = 0;
  std::uint32_t site_count = 0;
  std::uint32_t rings_used = 0;
  std::uint32_t block_timeout_ms = 0;  // the segment's may be lower, but never counts if higher
  std::unique_ptr<std::uint32_t[]> ring_owner;  // per ring: id of the thread that has it, or 0
  // Per ring: where it is mapped (kRingCopies times), null if it never was.
  std::unique_ptr<std::atomic<std::byte*>[]> ring_base;
};

struct Agent {
  // Protects everything below that is not atomic, and all slow paths that create, register or
  // attach. Taken only through SlowPathLock, which blocks signals first: no user code ever runs
  // on a thread that holds it.
  std::atomic<State> state{State::idle};
  std::atomic<Segment*> segment{nullptr};  // never freed while the process can log
  Options options;
  bool options_are_final = false;  // the environment has been applied
  std::string message;
  std::atomic<std::uint64_t> refused{0};
  std::atomic<std::uint64_t> retry_at_ns{0};  // after a refusal, CLOCK_MONOTONIC
  // Without a segment; in one, the control page has the level.
  std::atomic<std::uint8_t> level{RS_LEVEL_TRACE};
  std::uint64_t dictionary_retry_at_ns = 0;
  // Of records without a segment: it takes them over. In the order of kCausesOfRefusal.
  std::array<std::atomic<std::uint64_t>, kRefusalCauses> unbooked_refusals{};
  std::uint64_t dropped_by_former_owners = 0;  // of rings that have a new owner since
  // The same by cause, in the order of shm::kCountedCauses.
  std::array<std::uint64_t, shm::kCountedCauses.size()> counted_for_former_owners{};
  Segment* former_segment = nullptr;  // of the parent process
  rs_site* sites = nullptr;           // every statement loaded, newest first
};

Agent& agent();

// Blocks all signals of the calling thread, then takes the agent's lock.
class SlowPathLock {
 public:
  SlowPathLock();
  ~SlowPathLock();
  SlowPathLock(const SlowPathLock&) = delete;
  SlowPathLock& operator=(const SlowPathLock&) = delete;

 private:
  const CancellationOff cancellation_off_;
  unsigned char saved_mask_[128];  // sigset_t, kept out of this header
};

// Whether this is a child that was made around the handlers of fork (vfork, a bare clone). Its
// state is its parent's, perhaps in the parent's memory: it gets no segment and no ring, and ends
// none.
bool was_made_around_fork();
// In a child that fork has made.
void is_a_process_of_its_own();

// Creates the segment if there is none and none was refused just now. Lock held by the caller.
// False if there still is none.
bool ensure_segment(Agent& agent);

std::uint64_t monotonic_ns();

}  // namespace ringside
