#pragma once
// Where to run beside producers: choice of processors for --cpu auto.

#include <cstdint>
#include <map>

#include "consumerd/placement/processor_map.hpp"

namespace ringside::consumer {

// Bytes of records by the number of the processor that their threads ran on.
using BytesByProcessor = std::map<std::uint32_t, std::uint64_t>;

// Of the processors in `allowed`, those that share a last-level cache with the producers of most
// bytes, or else their memory node. Of these, cores on which no producer runs, or else processors
// on which none runs, or else all. Empty: nothing speaks for any processor.
ProcessorSet near_processors(const ProcessorMap& map, const ProcessorSet& allowed,
                             const BytesByProcessor& producers);

}  // namespace ringside::consumer
