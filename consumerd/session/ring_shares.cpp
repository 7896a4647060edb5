#include "consumerd/session/ring_shares.hpp"

#include <algorithm>
#include <utility>

#include "consumerd/session/segment_rotation.hpp"

namespace ringside::consumer {
namespace {

// A round that finds less than this has little to gain from a second thread.
constexpr std::uint64_t kPressingBytes = 4U << 20;
// For fewer bytes it takes longer to wake the threads.
constexpr std::uint64_t kLeastParallelBytes = 256U << 10;
constexpr auto kCreationRetry = std::chrono::seconds(5);
// At least between two rotations that only even out the load.
constexpr auto kEvenInterval = std::chrono::seconds(10);
constexpr std::uint64_t kUnevenFactor = 4;

void add_to(DrainCounts* sum, const DrainCounts& counts) {
  sum->records += counts.records;
  sum->dropped += counts.dropped;
  sum->overwritten += counts.overwritten;
  sum->left_behind += counts.left_behind;
  sum->sampled += counts.sampled;
  sum->ring_bytes += counts.ring_bytes;
  sum->file_bytes += counts.file_bytes;
}

std::vector<std::uint64_t> unread_by_share(const SegmentRings& rings, std::size_t shares) {
  std::vector<std::uint64_t> unread(shares, 0);
  for (const RingDrain& ring : rings.all()) unread[ring.share()] += ring.unread_bytes();
  return unread;
}

}  // namespace

void RingShares::note(const RoundResult& result) {
  is_pressed_ = result.fullest_permille >= 500 || result.ring_bytes >= kPressingBytes;
}

RingShare* RingShares::add(const Parts& parts, std::uint32_t number) {
  std::string why;
  const std::uint32_t sequence = std::max(parts.file.sequence() + 1, next_sequence_);
  auto share = RingShare::create(
      number, {parts.file, parts.dictionary, parts.clock, parts.rings, parts.front},
      writers_->of(number), sequence, &why);
  if (share == nullptr) {
    // The present threads continue.
    log_.detail(why + "; another encoder thread cannot help", {{"segment", segment_}});
    retry_ = Clock::now() + kCreationRetry;
    return nullptr;
  }
  next_sequence_ = share->file().sequence() + 1;
  parts.publish_sequence(next_sequence_);
  log_.detail("also writing " + share->file().path(),
              {{"segment", segment_}, {"file", share->file().path()}});
  share->follow(std::as_const(parts.rings).all());
  shares_.push_back(std::move(share));
  return shares_.back().get();
}

// A ring may only come from share 0: its stream is in no section of a file with a higher number.
void RingShares::spread(const Parts& parts) {
  if (!is_used()) return;
  const std::span<RingDrain> rings = parts.rings.all();
  for (const auto& share : shares_) share->follow(rings);
  const auto now = Clock::now();
  if (!is_pressed_ || now < retry_) return;
  std::vector<std::uint64_t> unread = unread_by_share(parts.rings, shares_.size() + 1);
  std::vector<std::size_t> busy;  // rings of share 0
  std::size_t half_full = 0;
  for (std::size_t i = 0; i < rings.size(); ++i) {
    if (rings[i].share() != 0 || !rings[i].is_busy() || !rings[i].has_arrived()) continue;
    busy.push_back(i);
    half_full += rings[i].is_half_full() ? 1U : 0U;
  }
  if (busy.size() < 2 || (half_full < 2 && unread[0] < kPressingBytes)) return;
  while (shares_.size() + 1 < std::min<std::size_t>(threads_->count(), busy.size())) {
    if (add(parts, static_cast<std::uint32_t>(shares_.size() + 1)) == nullptr) break;
    unread.push_back(0);
  }
  std::sort(busy.begin(), busy.end(), [&](std::size_t a, std::size_t b) {
    return rings[a].unread_bytes() > rings[b].unread_bytes();
  });
  for (const std::size_t i : busy) {
    const auto least = std::min_element(unread.begin() + 1, unread.end());
    if (least == unread.end()) return;
    const std::uint64_t bytes = rings[i].unread_bytes();
    if (unread[0] < *least + bytes) continue;
    shares_[static_cast<std::size_t>(least - unread.begin()) - 1]->take_over(i, rings[i]);
    unread[0] -= std::min(unread[0], bytes);
    *least += bytes;
    last_change_ = now;
  }
}

bool RingShares::are_uneven(const SegmentRings& rings) {
  const auto now = Clock::now();
  if (shares_.empty() || !is_pressed_ || now - last_change_ < kEvenInterval) return false;
  last_change_ = now;
  const std::vector<std::uint64_t> unread = unread_by_share(rings, shares_.size() + 1);
  const auto most = std::max_element(unread.begin() + 1, unread.end());
  const auto share = static_cast<std::uint32_t>(most - unread.begin());
  const auto busy = std::count_if(rings.all().begin(), rings.all().end(), [&](const auto& ring) {
    return ring.share() == share && ring.is_busy();
  });
  return busy >= 2 && *most >= kPressingBytes &&
         *std::min_element(unread.begin(), unread.end()) < *most / kUnevenFactor;
}

Drained RingShares::drain(SegmentRings& rings, const SegmentClock& clock,
                          const DrainWay& of_share_0, std::uint64_t round_tsc, RoundResult* result,
                          std::uint64_t* of_first, std::uint64_t* watermark_tsc) {
  bool all_mapped = rings.plan(&turn_of_first_);
  std::uint64_t bytes = 0;
  for (const auto& share : shares_) {
    all_mapped = share->plan(rings) && all_mapped;
    bytes += share->planned_bytes();
  }
  Drained drained = Drained::kAll;
  const EncoderThreads::Work work = [&](std::uint32_t thread) {
    if (thread == 0) {
      drained = rings.drain(turn_of_first_, of_share_0, result);
    } else {
      shares_[thread - 1]->drain(rings, clock, of_share_0);
    }
  };
  const auto used = static_cast<std::uint32_t>(shares_.size() + 1);
  if (all_mapped && bytes >= kLeastParallelBytes) {
    threads_->run(used, work);
  } else {
    for (std::uint32_t thread = 0; thread < used; ++thread) work(thread);
  }
  *of_first = drained == Drained::kAll
                  ? round_tsc
                  : rings.complete_until(0, round_tsc, of_share_0.watermark_tsc);
  *watermark_tsc = *of_first;
  for (const auto& share : shares_) {
    drained = worse_of(drained, share->drained());
    result->ring_bytes += share->result().ring_bytes;
    result->fullest_permille = std::max(result->fullest_permille, share->result().fullest_permille);
    *watermark_tsc = std::min(*watermark_tsc, share->watermark(rings, round_tsc));
  }
  rings.note_peak(result->fullest_permille);
  note(*result);
  return drained;
}

void RingShares::begin_round(Clock::time_point now) {
  for (const auto& share : shares_) {
    share->begin_round(now);
    share->file().tend_sync();
  }
  for (const auto& share : ended_) share->file().tend_sync();
}

bool RingShares::end_round(Clock::time_point now, std::uint64_t round_tsc, SegmentRings& rings,
                           bool flushing) {
  bool has_room = true;
  for (const auto& share : shares_) {
    has_room = share->end_round(now, share->watermark(rings, round_tsc), std::as_const(rings).all(),
                                flushing) &&
               has_room;
  }
  return has_room;
}

bool RingShares::advance() {
  bool has_room = true;
  for (const auto& share : ended_) has_room = share->file().advance() && has_room;
  std::erase_if(ended_, [this](const std::unique_ptr<RingShare>& share) {
    if (!share->file().all_written()) return false;
    files_ended_ += share->file().files_ended();
    failures_of_ended_ += share->file().sync().failures();
    return true;
  });
  return has_room;
}

void RingShares::seal() {
  for (const auto& share : shares_) share->file().seal();
}

bool RingShares::write_points(std::uint64_t watermark_tsc, std::span<const RingDrain> rings) {
  return std::all_of(shares_.begin(), shares_.end(),
                     [&](const auto& share) { return share->write_point(watermark_tsc, rings); });
}

Drained RingShares::drain_rest(SegmentRings& rings, const DrainWay& of_share_0,
                               bool service_ended) {
  Drained drained = Drained::kAll;
  for (const auto& share : shares_) {
    drained = worse_of(drained, share->drain_rest(rings, of_share_0, service_ended));
  }
  return drained;
}

void RingShares::book_final_drops(SegmentRings& rings, const DrainWay& of_share_0) {
  for (const auto& share : shares_) share->book_final_drops(rings, of_share_0);
}

void RingShares::unite(SegmentRings& rings, SequencePoints& points_of_first,
                       trace::EndReason reason) {
  if (shares_.empty()) return;
  finish(reason);
  for (std::size_t i = 0; i < rings.all().size(); ++i) {
    RingDrain& ring = rings.all()[i];
    if (ring.share() == 0) continue;
    ring.move_to(0);
    points_of_first.take_over(i, ring);
  }
  last_change_ = Clock::now();
  is_pressed_ = true;
}

void RingShares::finish(trace::EndReason reason) {
  for (auto& share : shares_) {
    share->finish(reason);
    add_to(&counts_of_ended_, share->counts());
    ended_.push_back(std::move(share));
  }
  shares_.clear();
}

template <class Check>
bool RingShares::any_of_all(const Check& check) const {
  const auto checks = [&](const std::unique_ptr<RingShare>& share) { return check(*share); };
  return std::any_of(shares_.begin(), shares_.end(), checks) ||
         std::any_of(ended_.begin(), ended_.end(), checks);
}

void RingShares::mark_flush(bool durable) {
  any_of_all([&](RingShare& share) {
    share.mark_flush();
    if (durable) share.file().want_durable();
    return false;
  });
}

bool RingShares::flush_is_written() const {
  return !any_of_all([](const RingShare& share) { return !share.flush_is_written(); });
}

bool RingShares::sync_is_wanted() const {
  return any_of_all([](const RingShare& share) { return share.file().sync().is_wanted(); });
}

bool RingShares::sync_is_busy() const {
  return any_of_all([](const RingShare& share) { return share.file().sync().is_busy(); });
}

bool RingShares::sync_is_late() const {
  return any_of_all([](const RingShare& share) { return share.file().sync_is_late(); });
}

std::uint64_t RingShares::sync_failures() const {
  std::uint64_t failures = failures_of_ended_;
  any_of_all([&](const RingShare& share) {
    failures += share.file().sync().failures();
    return false;
  });
  return failures;
}

std::uint32_t RingShares::next_sequence() const {
  return shares_.empty() ? 0 : next_sequence_;
}

bool RingShares::stalled() const {
  return any_of_all([](const RingShare& share) { return share.file().stalled(); });
}

bool RingShares::need_new_files(Clock::time_point now, const RotationPolicy& policy,
                                Clock::duration age) {
  const bool checks_names = now - last_name_check_ >= kNameCheckInterval;
  if (checks_names) last_name_check_ = now;
  return std::any_of(shares_.begin(), shares_.end(), [&](const auto& share) {
    return share->is_full(policy, age) || (checks_names && share->file().astray());
  });
}

bool RingShares::are_followed() const {
  return std::any_of(shares_.begin(), shares_.end(),
                     [](const auto& share) { return share->is_followed(); });
}

RingShares::Clock::time_point RingShares::next_write() const {
  auto next = Clock::time_point::max();
  for (const auto& share : shares_) next = std::min(next, share->next_write());
  return next;
}

DrainCounts RingShares::with_others(const DrainCounts& of_share_0) const {
  DrainCounts sum = of_share_0;
  add_to(&sum, counts_of_ended_);
  for (const auto& share : shares_) add_to(&sum, share->counts());
  return sum;
}

}  // namespace ringside::consumer
