#include "libagent/recording/loss_count.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <tuple>

#include "libagent/description/boundary_numbers.hpp"
#include "libagent/process/slow_call.hpp"
#include "shm-layout/site_losses.hpp"

namespace ringside {
namespace {

// The causes of SegmentLosses, in the order of Agent::unbooked_refusals.
constexpr std::array<shm::LossCause, kRefusalCauses> kCausesOfRefusal{
    shm::LossCause::kNoRing, shm::LossCause::kNoSharedMemory, shm::LossCause::kDictionaryFull};

std::atomic<std::uint64_t>& booked(Segment& segment, std::size_t refusal) {
  shm::SegmentLosses& losses = segment.control->losses;
  switch (kCausesOfRefusal[refusal]) {
    case shm::LossCause::kNoRing:
      return losses.no_ring;
    case shm::LossCause::kNoSharedMemory:
      return losses.no_memory;
    default:
      return losses.dictionary_full;
  }
}

const std::atomic<std::uint64_t>* counter_in(const shm::CountersLine& counters,
                                             shm::LossCause cause) {
  switch (cause) {
    case shm::LossCause::kRingFull:
      return &counters.dropped_ring_full;
    case shm::LossCause::kNoConsumer:
      return &counters.dropped_consumer_absent;
    case shm::LossCause::kQuarantined:
      return &counters.dropped_quarantined;
    case shm::LossCause::kAbandoned:
      return &counters.dropped_abandoned;
    case shm::LossCause::kTooLarge:
      return &counters.cut_records;
    default:
      return nullptr;
  }
}

static_assert(shm::kDropCauses.size() == std::tuple_size_v<Segment::DropsByCause>);

// In its page, or our own count if that is lost.
std::uint64_t refusals_in(Segment& segment, std::size_t refusal) {
  const bool is_lost = segment.has_lost_head.load(std::memory_order_relaxed);
  const auto& count = is_lost ? segment.own_refusals[refusal] : booked(segment, refusal);
  return count.load(std::memory_order_relaxed);
}

std::uint64_t losses_in_ring(const Segment& segment, std::uint32_t index, shm::LossCause cause) {
  if (segment.own_ring_counts != nullptr && segment.has_lost_head.load(std::memory_order_relaxed)) {
    const auto* const at = std::find(shm::kDropCauses.begin(), shm::kDropCauses.end(), cause);
    if (at == shm::kDropCauses.end()) return 0;
    return segment.own_ring_counts[index][static_cast<std::size_t>(at - shm::kDropCauses.begin())]
        .load(std::memory_order_relaxed);
  }
  const auto* const count = counter_in(segment.rings[index].counters, cause);
  return count != nullptr ? count->load(std::memory_order_relaxed) : 0;
}

std::uint64_t drops_in(const shm::RingMetadata& ring, std::size_t cause) {
  return counter_in(ring.counters, shm::kDropCauses[cause])->load(std::memory_order_relaxed);
}

// The drops that the consumer has reported. The sum is known; the division by cause is assumed.
Segment::DropsByCause told_drops(const shm::RingMetadata& ring) {
  Segment::DropsByCause told{};
  if (ring.consumer.generation.load(std::memory_order_relaxed) !=
      ring.identity.generation.load(std::memory_order_relaxed)) {
    return told;
  }
  std::uint64_t left = ring.consumer.booked_drops.load(std::memory_order_relaxed);
  for (std::size_t i = 0; i < told.size(); ++i) {
    told[i] = std::min(left, drops_in(ring, i));
    left -= told[i];
  }
  return told;
}

void add_for_site(Segment& segment, std::uint64_t id, shm::LossCause cause, std::uint64_t records) {
  // Entries up to this number have memory. The copy in shared memory is not trusted: others can
  // change it.
  if (id >= segment.sites_counted.load(std::memory_order_relaxed)) return;
  segment.site_losses[id].count[shm::site_counter_of(cause)].fetch_add(records,
                                                                       std::memory_order_relaxed);
}

// The statement's id; 0 while it has none.
std::uint64_t registered_id(const rs_site& site) {
  // Pairs with the release at registration.
  return __atomic_load_n(&site.state, __ATOMIC_ACQUIRE) == &rs_initial_switch ? 0 : site.id;
}

}  // namespace

void count_refusal(rs_site* site, shm::LossCause cause) {
  Agent& a = agent();
  a.refused.fetch_add(1, std::memory_order_relaxed);
  for (std::size_t i = 0; i < kCausesOfRefusal.size(); ++i) {
    // Release and acquire: a thread that adds after book_refusals() took the counts also sees the
    // segment that they were taken for.
    if (kCausesOfRefusal[i] == cause) {
      a.unbooked_refusals[i].fetch_add(1, std::memory_order_acq_rel);
    }
  }
  book_refusals(a);
  count_for_site(site, cause);
}

void count_for_site(rs_site* site, shm::LossCause cause) {
  Segment* const segment = agent().segment.load(std::memory_order_acquire);
  const std::uint64_t id = site == nullptr ? 0 : registered_id(*site);
  if (site != nullptr && id == 0 && cause == shm::LossCause::kNoSharedMemory) {
    __atomic_fetch_add(&site->unbooked_refusals, 1, __ATOMIC_ACQ_REL);
    if (registered_id(*site) != 0) book_refusals(*site);  // it has been registered since
    return;
  }
  if (segment != nullptr) add_for_site(*segment, id, cause, 1);
}

void book_refusals(Agent& a) {
  Segment* const segment = a.segment.load(std::memory_order_acquire);
  // Those of a truncated segment are for its successor.
  if (segment == nullptr || segment->is_truncated.load(std::memory_order_relaxed)) return;
  for (std::size_t i = 0; i < kCausesOfRefusal.size(); ++i) {
    const std::uint64_t records = a.unbooked_refusals[i].exchange(0, std::memory_order_acq_rel);
    if (records == 0) continue;
    segment->own_refusals[i].fetch_add(records, std::memory_order_relaxed);
    booked(*segment, i).fetch_add(records, std::memory_order_relaxed);
  }
}

void book_refusals(rs_site& site) {
  Segment* const segment = agent().segment.load(std::memory_order_acquire);
  if (segment == nullptr) return;
  const std::uint64_t records = __atomic_exchange_n(&site.unbooked_refusals, 0, __ATOMIC_ACQ_REL);
  if (records != 0) {
    add_for_site(*segment, registered_id(site), shm::LossCause::kNoSharedMemory, records);
  }
}

void count_own_drop(const Segment& segment, const shm::RingMetadata& ring, shm::LossCause cause,
                    std::uint64_t records) {
  const auto* const at = std::find(shm::kDropCauses.begin(), shm::kDropCauses.end(), cause);
  if (at == shm::kDropCauses.end()) return;
  const auto ring_index = static_cast<std::size_t>(&ring - segment.rings);
  const auto cause_index = static_cast<std::size_t>(at - shm::kDropCauses.begin());
  segment.own_ring_counts[ring_index][cause_index].fetch_add(records, std::memory_order_relaxed);
}

void reset_own_drops(const Segment& segment, std::uint32_t index) {
  if (segment.own_ring_counts == nullptr) return;
  for (auto& count : segment.own_ring_counts[index]) count.store(0, std::memory_order_relaxed);
}

std::uint64_t dropped_in(const Segment& segment) {
  std::uint64_t records = 0;
  for (std::uint32_t i = 0; i < segment.rings_used; ++i) {
    for (const shm::LossCause cause : shm::kDropCauses)
      records += losses_in_ring(segment, i, cause);
  }
  return records;
}

void count_as_lost_with_segment(Agent& a, std::uint64_t records) {
  if (records == 0) return;
  for (std::size_t i = 0; i < kCausesOfRefusal.size(); ++i) {
    if (kCausesOfRefusal[i] == shm::LossCause::kNoSharedMemory) {
      a.unbooked_refusals[i].fetch_add(records, std::memory_order_acq_rel);
    }
  }
  book_refusals(a);
  Segment* const segment = a.segment.load(std::memory_order_acquire);
  if (segment != nullptr) add_for_site(*segment, 0, shm::LossCause::kNoSharedMemory, records);
}

void note_told_refusals(Segment& removed, bool has_consumer) {
  if (!has_consumer && removed.told_refusals_are_known) return;
  removed.told_refusals_are_known = true;
  if (!has_consumer && removed.control->consumer.session.load(std::memory_order_relaxed) == 0) {
    return;  // it never had one
  }
  for (std::size_t i = 0; i < kCausesOfRefusal.size(); ++i) {
    removed.told_refusals[i] = booked(removed, i).load(std::memory_order_relaxed);
  }
}

void carry_refusals(Agent& a, Segment& removed) {
  for (std::size_t i = 0; i < kCausesOfRefusal.size(); ++i) {
    const std::uint64_t all = booked(removed, i).load(std::memory_order_relaxed);
    if (all <= removed.told_refusals[i]) continue;
    const std::uint64_t records = all - removed.told_refusals[i];
    removed.told_refusals[i] = all;
    removed.carried_losses[shm::counter_of(kCausesOfRefusal[i])] += records;
    a.unbooked_refusals[i].fetch_add(records, std::memory_order_acq_rel);
  }
  book_refusals(a);
}

std::uint64_t carry_drops(Segment& removed, std::uint32_t ring_index) {
  if (removed.carried_drops == nullptr) {
    removed.carried_drops = std::make_unique<Segment::DropsByCause[]>(removed.layout.ring_count);
    for (std::uint32_t i = 0; i < removed.rings_used; ++i) {
      removed.carried_drops[i] = told_drops(removed.rings[i]);
    }
  }
  std::uint64_t records = 0;
  for (std::size_t i = 0; i < shm::kDropCauses.size(); ++i) {
    const std::uint64_t count = drops_in(removed.rings[ring_index], i);
    std::uint64_t& carried = removed.carried_drops[ring_index][i];
    if (count <= carried) continue;
    removed.carried_losses[shm::counter_of(shm::kDropCauses[i])] += count - carried;
    records += count - carried;
    carried = count;
  }
  return records;
}

std::uint64_t count_of(const Agent& a, shm::LossCause cause) {
  std::uint64_t records = 0;
  const std::size_t counter = shm::counter_of(cause);
  if (counter != shm::kCountedCauses.size()) records += a.counted_for_former_owners[counter];
  for (std::size_t i = 0; i < kCausesOfRefusal.size(); ++i) {
    if (kCausesOfRefusal[i] == cause) {
      records += a.unbooked_refusals[i].load(std::memory_order_relaxed);
    }
  }
  for (Segment* segment = a.segment.load(std::memory_order_relaxed); segment != nullptr;
       segment = segment->replaced) {
    for (std::size_t i = 0; i < kCausesOfRefusal.size(); ++i) {
      if (kCausesOfRefusal[i] == cause) {
        records += refusals_in(*segment, i);
      }
    }
    for (std::uint32_t i = 0; i < segment->rings_used; ++i) {
      records += losses_in_ring(*segment, i, cause);
    }
    if (counter != shm::kCountedCauses.size()) records -= segment->carried_losses[counter];
  }
  return records;
}

void keep_counters_of_former_owner(Agent& a, const shm::CountersLine& counters) {
  for (std::size_t i = 0; i < shm::kCountedCauses.size(); ++i) {
    const auto* const count = counter_in(counters, shm::kCountedCauses[i]);
    if (count != nullptr) {
      a.counted_for_former_owners[i] += count->load(std::memory_order_relaxed);
    }
  }
}

}  // namespace ringside

void rs_dropped(rs_site* site, std::uint64_t dropped) {
  using ringside::shm::LossCause;
  const ringside::SlowCall call;
  const auto cause = ringside::cause_of_drop(dropped);
  switch (cause) {
    case LossCause::kUnknown:  // tracing is disabled, or the segment is another process's
      return;
    case LossCause::kNoRing:
    case LossCause::kNoSharedMemory:
      return ringside::count_refusal(site, cause);
    default:
      return ringside::count_for_site(site, cause);
  }
}
