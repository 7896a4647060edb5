#include "consumerd/drain/loss_reporter.hpp"

#include <algorithm>

#include "consumerd/rings/loss_stamp.hpp"
#include "shm-layout/clock_reading.hpp"

namespace ringside::consumer {
namespace {

// A block of 512 KiB: it fits any slot.
constexpr std::size_t kMostCounts = 20'000;
// Entries read from the segment at a time.
constexpr std::size_t kSitesAtOnce = 256;

constexpr std::array<shm::LossCause, 3> kCausesOfRefusal{
    shm::LossCause::kNoRing, shm::LossCause::kNoSharedMemory, shm::LossCause::kDictionaryFull};

std::array<std::uint64_t, 3> refusals(const shm::SegmentLosses& losses) {
  return {losses.no_ring.load(std::memory_order_relaxed),
          losses.no_memory.load(std::memory_order_relaxed),
          losses.dictionary_full.load(std::memory_order_relaxed)};
}

}  // namespace

LossReporter::LossReporter(AttachedSegment& segment)
    : segment_(segment), since_tsc_(segment.header().start_tsc) {}

void LossReporter::check_segment(trace::LossesBlock* losses) const {
  const auto counted = refusals(segment_.control().losses);
  for (std::size_t i = 0; i < kRefusalCauses; ++i) {
    if (counted[i] <= reported_of_segment_[i]) continue;
    losses->without_stream.push_back({0, kCausesOfRefusal[i], reported_of_segment_[i], counted[i]});
  }
}

void LossReporter::check_sites(std::uint32_t id_limit, trace::LossesBlock* losses) {
  more_ = false;
  // Entry 0 counts losses that belong to no statement.
  const std::uint32_t limit = std::min(std::max(id_limit, 1U), segment_.sites_counted());
  // No more than needed: with a thousand services, zeroing the rest takes a tenth of the time.
  std::vector<Counts> counts(std::min<std::size_t>(kSitesAtOnce, limit));
  for (std::uint32_t first = 0; first < limit; first += kSitesAtOnce) {
    const auto many = std::min<std::size_t>(kSitesAtOnce, limit - first);
    if (!segment_.read_site_losses(first, std::as_writable_bytes(std::span(counts).first(many)))) {
      return;
    }
    for (std::size_t i = 0; i < many; ++i) {
      const std::size_t id = first + i;
      for (std::size_t cause = 0; cause < counts[i].size(); ++cause) {
        const std::uint64_t reported =
            id < reported_of_sites_.size() ? reported_of_sites_[id][cause] : 0;
        if (counts[i][cause] <= reported) continue;
        if (losses->by_site.size() == kMostCounts) {
          more_ = true;
          return;
        }
        losses->by_site.push_back(
            {static_cast<std::uint32_t>(id), shm::kSiteCauses[cause], reported, counts[i][cause]});
      }
    }
  }
}

void LossReporter::remember(const trace::LossesBlock& losses) {
  for (const trace::LossCount& count : losses.without_stream) {
    for (std::size_t i = 0; i < kRefusalCauses; ++i) {
      if (kCausesOfRefusal[i] == count.cause) reported_of_segment_[i] = count.after;
    }
  }
  for (const trace::LossCount& count : losses.by_site) {
    if (reported_of_sites_.size() <= count.site_id) reported_of_sites_.resize(count.site_id + 1);
    reported_of_sites_[count.site_id][shm::site_counter_of(count.cause)] = count.after;
  }
}

bool LossReporter::report(TraceFile& file, std::uint32_t id_limit, RecordPass* pass,
                          std::uint64_t* file_bytes) {
  const std::uint64_t rings = loss_stamp_of_rings(segment_);
  const bool refused = refusals(segment_.control().losses) != reported_of_segment_;
  const bool changed = rings != rings_seen_ || refused;
  const bool left_out = pass != nullptr && pass->has_unreported();
  if (!changed && !more_ && !again_ && !left_out) return true;
  trace::LossesBlock losses;
  losses.since_tsc = since_tsc_;
  check_segment(&losses);
  check_sites(id_limit, &losses);
  const std::size_t counted = losses.by_site.size();
  if (left_out) pass->append_unreported(&losses.by_site, kMostCounts);
  losses.until_tsc = shm::read_tsc();
  if (!losses.without_stream.empty() || !losses.by_site.empty()) {
    const std::span<std::byte> out = file.space(trace::losses_block_bytes(losses));
    if (out.empty()) return false;
    const std::size_t bytes = trace::write_losses_block(losses, out);
    file.commit(bytes);
    *file_bytes += bytes;
    if (left_out) pass->mark_reported(std::span(losses.by_site).subspan(counted));
    losses.by_site.resize(counted);
    remember(losses);
  }
  rings_seen_ = rings;
  again_ = changed;  // a log call updates its statement's counter last, perhaps after this check
  if (left_out) more_ = more_ || pass->has_unreported();
  since_tsc_ = losses.until_tsc;
  return true;
}

}  // namespace ringside::consumer
