#include "libagent/recording/segment_takeover.hpp"

#include <cstring>
#include <span>

#include "libagent/recording/segment_growth.hpp"
#include "libagent/recording/stacked_statement.hpp"
#include "libagent/recording/truncated_segment.hpp"

namespace ringside {
namespace {

void take_over_settings(const Segment& from, Segment& to) {
  for (std::uint32_t id = 1; id <= from.site_count; ++id) {
    __atomic_store_n(&to.switches[id], __atomic_load_n(&from.switches[id], __ATOMIC_RELAXED),
                     __ATOMIC_RELAXED);
  }
  shm::ServiceLine& line = to.control->service;
  const shm::ServiceLine& old = from.control->service;
  for (std::uint32_t slot = 0; slot < shm::kSwitchDeadlineSlots; ++slot) {
    to.control->switch_deadlines.tsc[slot].store(
        from.control->switch_deadlines.tsc[slot].load(std::memory_order_relaxed),
        std::memory_order_relaxed);
  }
  line.overflow_policy.store(old.overflow_policy.load(std::memory_order_relaxed),
                             std::memory_order_relaxed);
  line.block_timeout_ms.store(old.block_timeout_ms.load(std::memory_order_relaxed),
                              std::memory_order_relaxed);
  line.level.store(old.level.load(std::memory_order_relaxed), std::memory_order_relaxed);
}

}  // namespace

bool take_over(const Agent& agent, const Segment& from, Segment& to) {
  if (from.dictionary_committed > to.layout.dictionary_bytes ||
      from.site_count >= to.layout.site_capacity ||
      reserve_dictionary(to, from.dictionary_committed) || reserve_switches(to, from.site_count)) {
    return false;
  }
  reserve_site_losses(to, from.site_count);
  reserve_site_executions(to, from.site_count);
  if (from.keeps_contexts) reserve_contexts(to);
  to.own_dictionary = from.own_dictionary;
  std::memcpy(to.dictionary, from.is_guarded ? from.own_dictionary.data() : from.dictionary,
              from.dictionary_committed);
  take_over_settings(from, to);
  // Perhaps only found out by reading them.
  if (from.has_lost_head.load(std::memory_order_relaxed)) set_anew(agent, from.site_count, to);
  for (const rs_site* site = agent.sites; to.shapes != nullptr && site != nullptr;
       site = site->next) {
    if (site->id != 0 && site->id <= from.site_count) {
      const auto id = static_cast<std::uint32_t>(site->id);
      to.shapes->add(id, FieldTypes(*site));
      if (const std::uint32_t stacked = known_stacked_id(from, id)) {
        to.shapes->add(stacked, FieldTypes(*site), true);
      }
    }
  }
  take_over_stacked_ids(from, to);
  shm::ServiceLine& line = to.control->service;
  to.dictionary_committed = from.dictionary_committed;
  to.site_count = from.site_count;
  line.site_count.store(to.site_count, std::memory_order_release);
  // Pairs with the consumer's acquire.
  line.dictionary_committed_bytes.store(to.dictionary_committed, std::memory_order_release);
  return true;
}

}  // namespace ringside
