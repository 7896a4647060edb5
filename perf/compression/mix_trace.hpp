// The mix of order book and HTTP messages with random values, as one thread would log it.
#pragma once

#include <cstdint>

#include "perf/compression/trace_maker.hpp"

namespace ringside::perf {

void add_mix(TraceMaker& trace, std::uint64_t records);

}  // namespace ringside::perf
