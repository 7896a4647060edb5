#include "consumerd/session/segment_meter.hpp"

#include <algorithm>
#include <span>

#include "consumerd/metrics/saturating_sum.hpp"
#include "consumerd/rings/loss_stamp.hpp"
#include "shm-layout/site_losses.hpp"

namespace ringside::consumer {
namespace {

constexpr std::uint32_t kSitesAtATime = 256;

double part_of(std::uint64_t bytes, std::uint64_t whole) {
  return static_cast<double>(std::min(bytes, whole)) / static_cast<double>(whole);
}

LossCounts refused_of(const shm::SegmentLosses& losses) {
  LossCounts counts{};
  counts[shm::counter_of(shm::LossCause::kNoRing)] = losses.no_ring.load(std::memory_order_relaxed);
  counts[shm::counter_of(shm::LossCause::kNoSharedMemory)] =
      losses.no_memory.load(std::memory_order_relaxed);
  counts[shm::counter_of(shm::LossCause::kDictionaryFull)] =
      losses.dictionary_full.load(std::memory_order_relaxed);
  return counts;
}

}  // namespace

void SegmentMeter::read(const trace::SiteTable* sites, ServiceMetrics* metrics) {
  read_rings(&metrics->state);
  read_losses();
  metrics->totals.lost = lost_;
  metrics->totals.blocked_s = blocked_s_;
  metrics->totals.calls = call_costs_.read();
  metrics->totals.statements = executions_.read(sites);
}

void SegmentMeter::read_rings(ServiceState* state) {
  const std::uint64_t ring_bytes = segment_.layout().ring_bytes;
  const std::uint32_t used = segment_.rings_used();
  std::uint64_t waited_ticks = 0;
  if (waits_.size() < used) waits_.resize(used);
  state->ring_bytes = ring_bytes;
  for (std::uint32_t index = 0; index < used; ++index) {
    const shm::RingMetadata& ring = segment_.ring(index);
    const auto ring_state =
        static_cast<shm::RingState>(ring.identity.state.load(std::memory_order_relaxed));
    const bool active = ring_state == shm::RingState::kActive;
    if (active) ++state->threads;
    Waits now{ring.identity.generation.load(std::memory_order_relaxed),
              ring.counters.blocked_ticks.load(std::memory_order_relaxed)};
    const Waits before = std::exchange(waits_[index], now);
    const bool same = now.generation == before.generation && now.ticks >= before.ticks;
    waited_ticks = saturating_sum(waited_ticks, same ? now.ticks - before.ticks : now.ticks);
    const bool given_up = ring.consumer.quarantine.load(std::memory_order_relaxed) != 0;
    if (overwritten_ || given_up) continue;  // the contents stay there, or are never drained
    // The producer's position is read last, so that it is at least as high as the others.
    const std::uint64_t written = ring.consumer.written_pos.load(std::memory_order_acquire);
    const std::uint64_t taken = ring.consumer.consumer_pos.load(std::memory_order_acquire);
    const std::uint64_t end = ring.producer.producer_pos.load(std::memory_order_relaxed);
    state->fill = std::max(state->fill, part_of(end - taken, ring_bytes));
    if (active) {
      const auto high_water = ring.consumer.high_water_bytes.load(std::memory_order_relaxed);
      state->high_water = std::max(state->high_water, part_of(high_water, ring_bytes));
    }
    state->unwritten_bytes += end > written ? static_cast<double>(end - written) : 0;
  }
  state->high_water = std::max(state->high_water, state->fill);
  blocked_s_ +=
      static_cast<double>(waited_ticks) / static_cast<double>(segment_.header().tsc_frequency_hz);
}

void SegmentMeter::read_losses() {
  const LossCounts refused = refused_of(segment_.control().losses);
  std::uint64_t stamp = loss_stamp_of_rings(segment_);
  for (const std::uint64_t count : refused) stamp += count;
  const bool changed = stamp != stamp_;
  if (!changed && !check_again_) return;
  LossCounts sum{};
  if (!add_up_sites(&sum)) return;
  stamp_ = stamp;
  check_again_ = changed;
  for (std::size_t i = 0; i < sum.size(); ++i) {
    // Part of what was refused belongs to no statement that has an entry.
    lost_[i] = std::max({lost_[i], sum[i], refused[i]});
  }
}

bool SegmentMeter::add_up_sites(LossCounts* sum) const {
  using SiteCounts = std::array<std::uint64_t, shm::kSiteCauses.size()>;
  static_assert(sizeof(SiteCounts) == sizeof(shm::SiteLosses));
  std::array<SiteCounts, kSitesAtATime> counts{};
  const std::uint32_t sites = segment_.sites_counted();
  for (std::uint32_t first = 0; first < sites; first += kSitesAtATime) {
    const auto some = std::span(counts).first(std::min(kSitesAtATime, sites - first));
    if (!segment_.read_site_losses(first, std::as_writable_bytes(some))) return false;
    for (const SiteCounts& site : some) {
      for (std::size_t i = 0; i < site.size(); ++i) {
        std::uint64_t& of_cause = (*sum)[shm::counter_of(shm::kSiteCauses[i])];
        of_cause = saturating_sum(of_cause, site[i]);
      }
    }
  }
  return true;
}

void add_drained(const DrainCounts& counts, std::span<const RingDrain> rings,
                 ServiceTotals* totals) {
  totals->records = counts.records;
  totals->ring_bytes = counts.ring_bytes;
  totals->trace_bytes = counts.file_bytes;
  totals->sampled = counts.sampled;
  totals->quarantined_rings = static_cast<std::uint64_t>(std::count_if(
      rings.begin(), rings.end(), [](const RingDrain& ring) { return ring.quarantined(); }));
  std::uint64_t& quarantined = totals->lost[shm::counter_of(shm::LossCause::kQuarantined)];
  quarantined = saturating_sum(quarantined, counts.left_behind);
  totals->lost[shm::counter_of(shm::LossCause::kOverwritten)] = counts.overwritten;
}

}  // namespace ringside::consumer
