#pragma once
// Counts records that are lost: by cause, and by statement. Never on the record path.

#include <cstdint>

#include "libagent/recording/agent.hpp"
#include "shm-layout/loss_cause.hpp"

namespace ringside {

// The result of a reservation without a place.
constexpr std::uint64_t dropped(shm::LossCause cause) {
  return RS_DROPPED + static_cast<std::uint64_t>(cause);
}

// A record of `site` found no ring, no segment or no place in the dictionary. Counted in the
// control page and for the statement. Before there is a segment, counted in the process; the
// segment takes these counts over. Lock-free; any thread, signal handlers included. `site` may be
// null.
void count_refusal(rs_site* site, shm::LossCause cause);

// For the statement only: its ring has already counted the record. Otherwise as above.
void count_for_site(rs_site* site, shm::LossCause cause);

// Records of `ring` are dropped, in a segment that may lose its own counts (truncation_guard.hpp).
void count_own_drop(const Segment& segment, const shm::RingMetadata& ring, shm::LossCause cause,
                    std::uint64_t records);
// The same counts begin at 0 for a new owner of ring `index`.
void reset_own_drops(const Segment& segment, std::uint32_t index);
// Records dropped by all rings of the segment since their owners took them.
std::uint64_t dropped_in(const Segment& segment);

// Moves the counts from before the segment existed to the segment. Lock held.
void book_refusals(Agent& agent);
// The same for a statement that was not registered.
void book_refusals(rs_site& site);

// Counts records in a segment whose file was removed before a consumer read them. Lock held.
void count_as_lost_with_segment(Agent& agent, std::uint64_t records);

// Refusals in the page of a removed segment are reported while it has a consumer. Lock held.
void note_told_refusals(Segment& removed, bool has_consumer);
// Losses that no consumer will report go to the successor: the refusals in its page, and the drops
// of a ring, which are returned for the caller to count again. Lock held; allocates.
void carry_refusals(Agent& agent, Segment& removed);
std::uint64_t carry_drops(Segment& removed, std::uint32_t ring_index);

// Sum over all rings and the process, since its start. Lock held.
std::uint64_t count_of(const Agent& agent, shm::LossCause cause);

// The ring has a new owner, whose counters begin at 0. Lock held.
void keep_counters_of_former_owner(Agent& agent, const shm::CountersLine& counters);

}  // namespace ringside
