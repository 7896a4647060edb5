#pragma once
// Decoded records in the form in which rings hold them, which is what the encoder takes.

#include <cstdint>
#include <string>

#include "trace-format/extent_decoder.hpp"

namespace ringside::tool {

void append_ring_record(const trace::Record& record, std::string& ring);

// Tells the encoder the whole of a time stamp, of which records have 44 bits.
void append_clock_record(std::uint64_t tsc, std::string& ring);

// `cause`: as in an extent's head.
void append_drop_record(std::uint64_t tsc, std::uint64_t count, std::uint32_t cause,
                        std::string& ring);

}  // namespace ringside::tool
