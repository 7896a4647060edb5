#include "libagent/recording/truncated_segment.hpp"

#include <string>

#include "libagent/process/replacement_limit.hpp"
#include "libagent/process/standard_error.hpp"
#include "shm-layout/site_switch.hpp"

namespace ringside {

using RingLoss = Segment::RingLoss;

void report_truncation(const Segment& truncated, const Segment& next) {
  report("the trace segment " + truncated.path +
         " was truncated while in use: what no consumer has read is lost; tracing continues in " +
         next.path +
         "; another process that may write to it did this: check the members of its group "
         "(RINGSIDE_GROUP)");
}

std::string repeated_truncation_text(const Segment& truncated) {
  return "the trace segment " + truncated.path + " was truncated, as " +
         std::to_string(kReplacementsPerHour) +
         " others within an hour: records are lost until an hour after the first of these; check "
         "which process may write to the segments (RINGSIDE_GROUP), then restart the service";
}

void set_anew(const Agent& agent, std::uint32_t site_count, Segment& to) {
  const std::uint8_t level = agent.level.load(std::memory_order_relaxed);
  // Those without a statement are of libraries that were unloaded.
  for (std::uint32_t id = 1; id <= site_count; ++id) {
    __atomic_store_n(&to.switches[id], shm::kSwitchOff, __ATOMIC_RELAXED);
  }
  for (const rs_site* site = agent.sites; site != nullptr; site = site->next) {
    const bool is_registered =
        __atomic_load_n(&site->state, __ATOMIC_RELAXED) != &rs_initial_switch;
    if (!is_registered || site->id > site_count) continue;
    const bool consumer_clock = (site->flags & RS_SITE_CONSUMER_CLOCK) != 0;
    __atomic_store_n(&to.switches[site->id],
                     shm::switch_by_level(site->level, level, consumer_clock), __ATOMIC_RELAXED);
  }
  shm::ServiceLine& line = to.control->service;
  line.overflow_policy.store(static_cast<std::uint32_t>(agent.options.overflow),
                             std::memory_order_relaxed);
  line.block_timeout_ms.store(to.absent_timeout_ms, std::memory_order_relaxed);
  line.level.store(level, std::memory_order_relaxed);
}

std::uint64_t count_written_nowhere(Segment& truncated) {
  const bool is_all_lost = truncated.has_lost_head.load(std::memory_order_relaxed);
  std::uint64_t rings = 0;
  for (std::uint32_t i = 0; i < truncated.rings_used; ++i) {
    const RingLoss loss = truncated.ring_losses[i].load(std::memory_order_relaxed);
    if (loss == RingLoss::counted || (loss == RingLoss::none && !is_all_lost)) continue;
    truncated.ring_losses[i].store(RingLoss::counted, std::memory_order_relaxed);
    ++rings;
  }
  return rings;
}

void consider_counted(Segment& truncated, std::uint32_t ring_index) {
  RingLoss uncounted = RingLoss::uncounted;
  truncated.ring_losses[ring_index].compare_exchange_strong(uncounted, RingLoss::counted,
                                                            std::memory_order_relaxed);
}

}  // namespace ringside
