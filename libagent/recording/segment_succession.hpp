#pragma once
// A segment whose file was removed during the service's life (a cleaner, RemoveIPC): a consumer
// that has it mapped continues, but no other consumer finds it. Another segment replaces it, all
// threads move there, and records that can no longer be read are counted as lost. The same for a
// file that another process has truncated (truncated_segment.hpp).

#include <cstdint>

#include "libagent/recording/agent.hpp"

namespace ringside {

// Checks whether the segment's file was removed, and if so creates another. Continues with segments
// that were replaced before: counts their losses, and gives them back. Lock held; allocates.
void look_after_segments(Agent& agent);
// The same, unless the caller is in a signal handler, which may have interrupted an allocation.
void look_after_segments_in_log_call(Agent& agent);
// The same, called from time to time and when a record has found no space. At most every 100 ms.
// Takes the lock. Has no effect with the policies that never wait: a service with one of them may
// have forbidden itself all system calls.
void look_after_unread_segment();

// For a log call that finds its segment truncated. Whether another one has taken its place; not yet
// if there is no memory for it, or if the caller is in a signal handler.
bool replace_truncated_segment(const Segment& truncated);

// Address of the switch of statement `id` in the present segment.
std::uint8_t* place_of_switch(Segment& segment, std::uint32_t id);
// Whether threads still have rings of replaced segments: all statements then take the slow path,
// which moves those threads.
bool is_moving(const std::uint8_t* place_of_switch);

// In a slow path of the calling thread: if it has a ring of a replaced segment, its next
// reservation takes a ring of the present one. Returns false if that is not possible yet, and
// `site_id` is unknown in the old segment.
bool prepare_to_move(std::uint32_t site_id);
// A thread has detached from a ring of a replaced segment. Lock held.
void end_move(Agent& agent);

// Whether records were lost with a segment since the last call. Lock held.
bool take_lost_with_segment();
// In the child of a fork.
void forget_succession();

}  // namespace ringside
