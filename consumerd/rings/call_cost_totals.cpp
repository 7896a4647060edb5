#include "consumerd/rings/call_cost_totals.hpp"

#include <algorithm>
#include <cstddef>
#include <span>

namespace ringside::consumer {
namespace {

shm::CallCostCounts counts_of(const shm::CostCounts& ring) {
  shm::CallCostCounts counts;
  counts.ticks = ring.ticks.load(std::memory_order_relaxed);
  counts.waited = ring.waited.load(std::memory_order_relaxed);
  for (std::size_t i = 0; i < counts.count.size(); ++i) {
    counts.count[i] = ring.count[i].load(std::memory_order_relaxed);
  }
  return counts;
}

}  // namespace

CallCostTotals::Read CallCostTotals::read_on() {
  if (!is_measured_) return Read::kUnreadable;
  if (next_ == 0) round_ = {};
  const std::uint32_t used = segment_.rings_used();
  const std::uint32_t rings = std::min(kRingsAtATime, used - std::min(used, next_));
  entries_ = std::vector<shm::CallCosts>(rings);
  if (!segment_.read_call_costs(next_, std::as_writable_bytes(std::span(entries_)))) {
    return Read::kUnreadable;
  }
  for (const shm::CallCosts& ring : entries_) round_.add(counts_of(ring.all));
  next_ += rings;
  if (next_ < used) return Read::kSome;
  next_ = 0;
  values_.raise_to(round_);
  return Read::kAll;
}

}  // namespace ringside::consumer
