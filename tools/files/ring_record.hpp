#pragma once
// Decoded records in the form used in rings, which is the encoder's input.

#include <cstdint>
#include <string>

#include "trace-format/codec/extent_decoder.hpp"
#include "trace-format/codec/extent_encoder.hpp"

namespace ringside::tool {

void append_ring_record(const trace::Record& record, std::string& ring);

// For the encoder's cursor. Null: none.
trace::StreamContext stream_context(const trace::RecordContext* context);

// Gives the encoder the complete time stamp; records have only 44 bits of it. `processor`: the code
// of the processor of the following records, shm::processor_code().
void append_clock_record(std::uint64_t tsc, std::uint32_t processor, std::string& ring);

// `cause`: as in the head of an extent.
void append_drop_record(std::uint64_t tsc, std::uint64_t count, std::uint32_t cause,
                        std::string& ring);

}  // namespace ringside::tool
