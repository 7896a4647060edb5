#include "consumerd/sessions/segment_taps.hpp"

#include <algorithm>
#include <utility>

#include "shm-layout/clock_reading.hpp"
#include "shm-layout/record_head.hpp"

namespace ringside::consumer {
namespace {

using std::chrono::steady_clock;

// A main trace that cannot be written does not drain its rings: a session must not wait for that.
constexpr auto kEndPatience = std::chrono::seconds(5);

}  // namespace

bool SegmentTaps::add(TraceSession& session, std::shared_ptr<const RecordRules> rules,
                      std::string* why) {
  std::unique_ptr<SessionTap> tap = SessionTap::open(session, source_, why);
  if (tap == nullptr) return false;
  tap->set_rules(std::move(rules));
  if (switches_.lease().slot != 0) tap->cursors().store_lease(switches_.lease());
  taps_.push_back({std::move(tap), {}, {}, false});
  followed_sessions_ = SIZE_MAX;
  return true;
}

bool SegmentTaps::has(const TraceSession& session) const {
  return std::any_of(taps_.begin(), taps_.end(),
                     [&](const Tap& one) { return &one.tap->session() == &session; });
}

void SegmentTaps::set_rules(const std::shared_ptr<const RecordRules>& rules) {
  for (const Tap& one : taps_) one.tap->set_rules(rules);
}

void SegmentTaps::take(const trace::SiteTable& sites, const RingBatch& batch) {
  for (const Tap& one : taps_) one.tap->take(sites, batch);
}

void SegmentTaps::add_losses(const RingBatch& at, std::uint64_t losses) {
  for (const Tap& one : taps_) one.tap->add_losses(at, losses);
}

std::span<const std::byte> SegmentTaps::thin(const trace::SiteTable& sites,
                                             std::span<const std::byte> records) {
  thinned_.clear();
  marks_.clear();
  const std::uint64_t now_tsc = shm::read_tsc();
  std::size_t at = 0;
  std::size_t kept_from = 0;
  const auto keep_until = [&](std::size_t end) {
    thinned_.insert(thinned_.end(), records.begin() + static_cast<std::ptrdiff_t>(kept_from),
                    records.begin() + static_cast<std::ptrdiff_t>(end));
  };
  while (at < records.size()) {
    const trace::RingRecordView record = trace::view_ring_record(sites, records.subspan(at));
    if (record.state != trace::RingRecordView::State::kWhole) break;
    const std::size_t begin = at;
    at += record.bytes.size();
    if (record.site == nullptr) continue;
    const std::uint64_t tsc = shm::head_tsc(record.head);
    if (!switches_.hides(record.site->id, tsc == 0 ? 0 : shm::widen_tsc(tsc, now_tsc))) continue;
    keep_until(begin);
    kept_from = at;
    marks_.push_back({at, thinned_.size()});
  }
  if (marks_.empty()) return records;
  keep_until(records.size());
  return thinned_;
}

std::size_t SegmentTaps::untrimmed(std::size_t taken) const {
  const auto after = std::find_if(marks_.begin(), marks_.end(),
                                  [taken](const Mark& mark) { return mark.output_end > taken; });
  if (after == marks_.begin()) return taken;
  const Mark& last = *std::prev(after);
  return last.input_end + (taken - last.output_end);
}

void SegmentTaps::keep_lease(const SessionSwitches::Lease& lease) {
  for (const Tap& one : taps_) one.tap->cursors().store_lease(lease);
}

void SegmentTaps::set_clock(const ClockSteps& clock) {
  for (const Tap& one : taps_) one.tap->set_clock(clock);
}

bool SegmentTaps::is_reached(const Tap& tap, std::span<const RingDrain> rings,
                             steady_clock::time_point now) const {
  if (now - tap.end_began >= kEndPatience) return true;
  for (std::size_t i = 0; i < tap.targets.size() && i < rings.size(); ++i) {
    if (!rings[i].has_taken(tap.targets[i])) return false;
  }
  return true;
}

void SegmentTaps::end_round(std::uint64_t watermark_tsc, std::span<const RingDrain> rings,
                            steady_clock::time_point now) {
  for (Tap& one : taps_) {
    one.tap->end_round(watermark_tsc, now);
    if (!one.ending && one.tap->session().is_ending()) {
      one.ending = true;
      one.end_began = now;
      for (const RingDrain& ring : rings) one.targets.push_back(ring.published());
    }
  }
  const auto ended = std::remove_if(taps_.begin(), taps_.end(), [&](Tap& one) {
    if (!one.ending || !is_reached(one, rings, now)) return false;
    if (!one.tap->finish(trace::EndReason::kConsumerEnded) && now - one.end_began < kEndPatience) {
      return false;
    }
    one.tap->leave(true);
    ended_ = now;
    return true;
  });
  taps_.erase(ended, taps_.end());
}

void SegmentTaps::follow_switches(const trace::SiteTable& sites) {
  std::uint64_t end_unix_ns = 0;
  std::vector<SessionTap*> enabling;
  for (const Tap& one : taps_) {
    const SessionSpec& spec = one.tap->session().spec();
    if (!spec.level || one.tap->session().is_ending()) continue;
    enabling.push_back(one.tap.get());
    end_unix_ns = std::max(end_unix_ns, spec.end_unix_ns == 0 ? UINT64_MAX : spec.end_unix_ns);
  }
  if (sites.size() != followed_sites_ || enabling.size() != followed_sessions_) {
    followed_sites_ = sites.size();
    followed_sessions_ = enabling.size();
    switches_.begin();
    for (SessionTap* const tap : enabling) {
      tap->follow_sites(sites);
      sites.for_each([&](const trace::Site& site) {
        if (tap->choice().wants_site(site.id)) switches_.want(site);
      });
    }
  }
  for (SessionTap* const tap : enabling) switches_.resume(tap->cursors().lease());
  switches_.follow(end_unix_ns, source_.log);
}

bool SegmentTaps::finish(trace::EndReason reason) {
  bool all = true;
  for (const Tap& one : taps_) all = one.tap->finish(reason) && all;
  return all;
}

void SegmentTaps::leave(bool segment_ended) {
  for (const Tap& one : taps_) one.tap->leave(segment_ended);
  taps_.clear();
}

}  // namespace ringside::consumer
