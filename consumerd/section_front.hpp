#pragma once
// What every section begins with, out of a segment's header.

#include <cstdint>

#include "shm-layout/segment_header.hpp"
#include "trace-format/block_writer.hpp"

namespace ringside::consumer {

// Its texts point into `segment`. `sequence`: of the file.
trace::SectionHeader section_header(const shm::SegmentHeader& segment, std::uint32_t sequence);

// Ticks and the monotonic clock of a segment can be compared with ours on the same boot only.
bool is_this_boot(const std::uint8_t (&boot_id)[16]);

}  // namespace ringside::consumer
