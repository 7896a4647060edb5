#include "libagent/recording/execution_count.hpp"

#include <atomic>

#include "shm-layout/site_executions.hpp"

namespace ringside {
namespace {

std::atomic<std::uint32_t> g_threads{0};
// One more than the stripe of this thread; 0: none yet.
constinit thread_local std::uint32_t t_stripe = 0;

std::uint32_t own_stripe() {
  // A handler in between takes another stripe, which is as good.
  if (t_stripe == 0) {
    t_stripe = 1 + g_threads.fetch_add(1, std::memory_order_relaxed) % shm::kExecutionStripes;
  }
  return t_stripe - 1;
}

// Null if the segment has no memory for the entry.
shm::SiteExecutions* entry_of(const Segment& segment, std::uint64_t site_id) {
  // Entries up to this number have memory. The copy in shared memory is not trusted: others can
  // change it.
  if (site_id >= segment.sites_with_executions.load(std::memory_order_relaxed)) return nullptr;
  return reinterpret_cast<shm::SiteExecutions*>(
      segment.site_executions +
      shm::execution_offset(static_cast<std::uint32_t>(site_id), own_stripe()));
}

}  // namespace

void count_execution(Segment& segment, std::uint64_t site_id) {
  auto* const entry = entry_of(segment, site_id);
  if (entry != nullptr) entry->counted.fetch_add(1, std::memory_order_relaxed);
}

void count_suppressed(Segment& segment, std::uint64_t site_id, std::uint64_t executions) {
  auto* const entry = entry_of(segment, site_id);
  if (entry != nullptr) entry->suppressed.fetch_add(executions, std::memory_order_relaxed);
}

}  // namespace ringside
