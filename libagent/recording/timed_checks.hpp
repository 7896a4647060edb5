#pragma once
// When the calling thread's log calls take the slow path because of the time: a clock record is
// due, or a check of the segment's file or of the processor. The earliest of the three is
// rs_thread::clock_due, which is 0 until the first clock record.

#include <cstdint>

#include "libagent/recording/agent.hpp"

namespace ringside {

// A clock record with this time stamp begins a lap. Begins the file's interval too.
void plan_after_clock_record(std::uint64_t tsc, const Segment& segment);

bool is_clock_record_due(std::uint64_t tsc);

// Whether a check of the segment's file is due; begins the next interval if so.
bool take_file_check(std::uint64_t tsc, const Segment& segment);

// From now on no check of the segment's file is due.
void stop_file_checks();

// The processor was checked at this time.
void plan_after_processor_check(std::uint64_t tsc, const Segment& segment);

}  // namespace ringside
