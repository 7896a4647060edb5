#include "trace-format/blocks/call_costs_block.hpp"

#include <algorithm>

#include "trace-format/blocks/block_frame.hpp"
#include "trace-format/blocks/format_constants.hpp"
#include "trace-format/blocks/little_endian.hpp"

namespace ringside::trace {
namespace {

std::size_t used_buckets(const shm::CallCostCounts& counts) {
  return static_cast<std::size_t>(std::count_if(counts.count.begin(), counts.count.end(),
                                                [](std::uint64_t calls) { return calls != 0; }));
}

}  // namespace

bool CallCostsBlock::parse(std::span<const std::byte> payload, CallCostsBlock& costs) {
  costs = {};
  if (payload.size() < kCallCostsFixedBytes) return false;
  const std::byte* p = payload.data();
  costs.until_tsc = load<std::uint64_t>(p);
  costs.counts.ticks = load<std::uint64_t>(p + 8);
  costs.counts.waited = load<std::uint64_t>(p + 16);
  costs.one_in = load<std::uint32_t>(p + 24);
  const std::size_t buckets = load<std::uint32_t>(p + 28);
  if (costs.one_in == 0 || buckets > shm::kCostBuckets ||
      buckets > (payload.size() - kCallCostsFixedBytes) / kCostBucketBytes) {
    return false;
  }
  p += kCallCostsFixedBytes;
  std::size_t least = 0;
  for (std::size_t i = 0; i < buckets; ++i, p += kCostBucketBytes) {
    const std::size_t bucket = load<std::uint32_t>(p);
    if (bucket < least || bucket >= shm::kCostBuckets) return false;
    costs.counts.count[bucket] = load<std::uint64_t>(p + 8);
    least = bucket + 1;
  }
  return true;
}

std::size_t call_costs_block_bytes(const CallCostsBlock& costs) {
  return kBlockHeaderBytes + kCallCostsFixedBytes + used_buckets(costs.counts) * kCostBucketBytes;
}

std::size_t write_call_costs_block(const CallCostsBlock& costs, std::span<std::byte> out) {
  const std::size_t bytes = call_costs_block_bytes(costs);
  if (out.size() < bytes) return 0;
  std::byte* p = out.data() + kBlockHeaderBytes;
  store(p, costs.until_tsc);
  store(p + 8, costs.counts.ticks);
  store(p + 16, costs.counts.waited);
  store(p + 24, costs.one_in);
  store(p + 28, static_cast<std::uint32_t>(used_buckets(costs.counts)));
  p += kCallCostsFixedBytes;
  for (std::size_t i = 0; i < costs.counts.count.size(); ++i) {
    if (costs.counts.count[i] == 0) continue;
    store(p, static_cast<std::uint32_t>(i));
    store(p + 4, std::uint32_t{0});
    store(p + 8, costs.counts.count[i]);
    p += kCostBucketBytes;
  }
  write_block_frame(out.data(), BlockType::kCallCosts, bytes - kBlockHeaderBytes);
  return bytes;
}

}  // namespace ringside::trace
