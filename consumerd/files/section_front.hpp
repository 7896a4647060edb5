#pragma once
// The beginning of every section, built from a segment's header.

#include <cstdint>

#include "shm-layout/segment_header.hpp"
#include "trace-format/blocks/block_writer.hpp"

namespace ringside::consumer {

// Its texts point into `segment`. `sequence`: number of the file.
trace::SectionHeader section_header(const shm::SegmentHeader& segment, std::uint32_t sequence);

// A segment's ticks and monotonic clock are comparable with ours only within the same boot.
bool is_this_boot(const std::uint8_t (&boot_id)[16]);

}  // namespace ringside::consumer
