#pragma once
// What another segment takes over from a truncated one, and how its losses are counted.
//
// How many records are lost cannot be known, because the positions of the rings and their records
// are gone. One record is counted for each ring whose memory, or whose positions, are missing.
// Rings that are intact are counted exactly, as those of a removed segment.

#include <cstdint>
#include <string>

#include "libagent/recording/agent.hpp"

namespace ringside {

// The lock is held for all functions.

// Reports it on standard error.
void report_truncation(const Segment& truncated, const Segment& next);

// Why it is not replaced: too many were within a short time (replacement_limit.hpp).
std::string repeated_truncation_text(const Segment& truncated);

// Sets the switches of statements 1 to `site_count` and the settings in `to` as this process wants
// them: tools may have changed them since, but the changes are lost.
void set_anew(const Agent& agent, std::uint32_t site_count, Segment& to);

// The rings that have lost their memory, or all if the head is lost, each once.
std::uint64_t count_written_nowhere(Segment& truncated);
// What this ring had has been counted as lost in another way.
void consider_counted(Segment& truncated, std::uint32_t ring_index);

}  // namespace ringside
