#pragma once
// Random Ringside traces that use the whole event model, for tests of other formats.

#include <cstdint>
#include <vector>

#include "shm-layout/field_type.hpp"
#include "tools/interop/trace_builder.hpp"

namespace ringside::tool::testing {

struct RandomTraceShape {
  std::uint64_t records = 400;
  std::uint32_t processes = 2;
  std::uint32_t threads = 3;  // of each process
  std::uint32_t sites = 24;   // of all kinds: logs, events, spans and counters
  bool extensions = true;     // substreams, activities, stacks; spans have durations anyway
  bool overlaps = true;       // spans that do not nest in each other
  bool losses = true;
  bool odd_names = true;            // of sites, fields and threads; no control characters
  bool any_bytes_in_texts = false;  // otherwise they are UTF-8, with control characters and NUL
  std::vector<shm::FieldType> types = {};  // of fields, arrays by array_of(); empty: all types
};

// The same seed, shape and version of this file give the same trace on every platform. The
// processes are called random-0, random-1 ...; times rise. A span's record has the time of its
// start.
void add_random_trace(TraceBuilder& builder, std::uint64_t seed, const RandomTraceShape& shape);

}  // namespace ringside::tool::testing
