// CALL_COSTS blocks: what the measured log calls of a service took.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "shm-layout/call_cost_counts.hpp"

namespace ringside::trace {

// Totals over all threads since the service began, as they were at `until_tsc`. Of several blocks
// of a segment the one with the latest time replaces the others, so that repetitions do no harm.
struct CallCostsBlock {
  std::uint64_t until_tsc = 0;
  std::uint32_t one_in = 0;  // about one in so many calls was measured
  shm::CallCostCounts counts;

  // False if the payload is shorter than it claims, or if what it states is impossible.
  static bool parse(std::span<const std::byte> payload, CallCostsBlock& costs);
};

std::size_t call_costs_block_bytes(const CallCostsBlock& costs);
// Like the functions of block_writer.hpp.
std::size_t write_call_costs_block(const CallCostsBlock& costs, std::span<std::byte> out);

}  // namespace ringside::trace
