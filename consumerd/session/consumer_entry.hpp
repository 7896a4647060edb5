#pragma once
// The entry of a consumerd in the segment that it serves. Only the holder of the consumer lock
// writes it.

#include "consumerd/discover/attached_segment.hpp"
#include "consumerd/log/log.hpp"
#include "consumerd/write/staging_file.hpp"

namespace ringside::consumer {

// The commits of this consumerd are in this staging file from now on: a successor uses the name to
// find what is left there.
void name_staging(AttachedSegment& segment, const StagingFile& staging);
// Before anything is committed.
void enter_segment(AttachedSegment& segment, const StagingFile& staging);
// Everything is in the trace file. `between_turns`: this consumerd comes back.
void leave_segment(AttachedSegment& segment, bool between_turns);
// Removes the segment, and reports if that is not permitted.
void remove_segment(AttachedSegment& segment, bool service_ended, const Log& log);

}  // namespace ringside::consumer
