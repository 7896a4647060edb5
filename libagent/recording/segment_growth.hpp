#pragma once
// Backs further parts of this process's segment with memory, as they are needed. Every byte is
// reserved before it is used: a full file system is detected here and never becomes a SIGBUS later.
// Slow-path lock held.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "libagent/recording/agent.hpp"

namespace ringside {

// The step at which a part could not be backed, and the error number.
struct GrowthFailure {
  enum class Step : std::uint8_t {
    none,
    reach,    // the service has closed the descriptor, and the file cannot be opened again
    reserve,  // the file system has no memory, or the file may not grow
    map,
  };

  Step step = Step::none;
  int error = 0;

  explicit operator bool() const { return step != Step::none; }
};

// "what failed: why; what to do" for a failure to back `part` of the segment at `path`.
std::string message_of(const GrowthFailure& failure, std::string_view part,
                       const std::string& path);

// Backs [offset, offset + bytes) of the file.
GrowthFailure reserve(SegmentDescriptor& descriptor, std::uint64_t offset, std::uint64_t bytes);

// Backs [0, bytes) of the dictionary, which has that many.
GrowthFailure reserve_dictionary(Segment& segment, std::uint64_t bytes);

// Backs the metadata of the rings up to `index`.
GrowthFailure reserve_ring_metadata(Segment& segment, std::uint32_t index);

// Backs the places for the contexts of these rings, if there is memory: otherwise a consumer that
// takes over does not know the contexts that began before.
void reserve_contexts(Segment& segment);

// Backs the switches of the sites up to `site_id`; new ones are not registered.
GrowthFailure reserve_switches(Segment& segment, std::uint32_t site_id);

// Backs the loss counters of the sites with ids up to `site_id`, if there is memory: losses of
// sites without counters are counted by cause only.
void reserve_site_losses(Segment& segment, std::uint32_t site_id);
// The same for the counts of executions that are not recorded. Here, because the log call that
// counts must make no system call.
void reserve_site_executions(Segment& segment, std::uint32_t site_id);
// All of these that the statement needs.
void reserve_for_statement(Segment& segment, const rs_site& site, std::uint32_t site_id);

// How often a ring is mapped, back to back. A lap begins anywhere in the second copy and may run
// into the third, so that positions of its records need not wrap. A record of the preceding lap,
// interrupted by the signal handler that began this lap, is in the first or the second copy.
//
//      first copy        second copy       third copy
//   |-----------------|-----------------|-----------------|
//              <- up to a ring -| lap begins
//                               |- lap, a ring long -|
inline constexpr std::uint64_t kRingCopies = 3;

// The first round of a ring has the second copy only; the others are mapped when it ends.
bool map_other_copies(const Segment& segment, std::byte* base);
// The same of the ring at `offset` of the file, where a mapping cannot be duplicated, as in
// valgrind. Lock held.
bool map_other_copies_by_file(Segment& segment, std::uint64_t offset, std::byte* base);

// Maps ring `index`, and backs its first part (ring_memory.hpp) and its call costs with memory.
// Null with `failure`.
std::byte* map_ring(Segment& segment, std::uint32_t index, GrowthFailure* failure);

}  // namespace ringside
