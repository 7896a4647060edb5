#include "consumerd/sessions/session_switches.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "consumerd/requests/mapped_words.hpp"
#include "shm-layout/clock_reading.hpp"
#include "shm-layout/switch_change.hpp"
#include "shm-layout/tick_time.hpp"

namespace ringside::consumer {
namespace {

constexpr std::uint64_t kLeaseNs = 60'000'000'000;
// A deadline that is this much earlier than it could be is renewed.
constexpr std::uint64_t kRenewalNs = 10'000'000'000;
constexpr std::uint64_t kNever = UINT64_MAX;

}  // namespace

void SessionSwitches::want(const trace::Site& site) {
  if (wanted_.size() <= site.id) wanted_.resize(std::size_t{site.id} + 1);
  wanted_[site.id] = shm::switch_by_level(static_cast<std::uint8_t>(site.level), 0,
                                          (site.flags & shm::kSiteConsumerClock) != 0);
  if (since_tsc_.size() < wanted_.size()) since_tsc_.resize(wanted_.size(), kNever);
}

std::uint8_t SessionSwitches::state(std::uint32_t site_id) const {
  if (site_id >= segment_.layout().site_capacity) return shm::kSwitchOn;
  return std::atomic_ref<std::uint8_t>(segment_.switches()[site_id])
      .load(std::memory_order_relaxed);
}

bool SessionSwitches::is_ours(std::uint8_t state) const {
  return slot_ && shm::is_timed(state) && shm::switch_deadline_slot(state) == *slot_ &&
         shm::switch_after(state) == shm::kSwitchOff;
}

bool SessionSwitches::hidden(std::uint32_t site_id, std::uint64_t tsc) const {
  const std::uint64_t since = since_tsc_[site_id];
  if (since == kNever || (tsc != 0 && tsc < since)) return false;
  // A statement that others have enabled meanwhile is in the main trace from that moment.
  const std::uint8_t now = state(site_id);
  return now == shm::kSwitchOff || is_ours(now);
}

void SessionSwitches::resume(const Lease& left) {
  if (slot_ || left.slot == 0 || left.slot > shm::kSwitchDeadlineSlots) return;
  const auto& deadline = segment_.control().switch_deadlines.tsc[left.slot - 1];
  if (deadline.load(std::memory_order_relaxed) != left.deadline_tsc) return;
  slot_ = static_cast<std::uint32_t>(left.slot - 1);
  deadline_tsc_ = left.deadline_tsc;
  for (std::uint32_t id = 1; id < since_tsc_.size(); ++id) {
    if (!is_ours(state(id))) continue;
    since_tsc_[id] = 0;
    any_ = true;
  }
}

// Whether a switch differs from what sessions want. Also notices statements that others have
// enabled.
bool SessionSwitches::needs_change() {
  bool needs = false;
  for (std::uint32_t id = 1; id < since_tsc_.size(); ++id) {
    const std::uint8_t now = state(id);
    const bool wanted = id < wanted_.size() && wanted_[id] != 0;
    if (now != shm::kSwitchOff && !is_ours(now)) {
      since_tsc_[id] = kNever;
    } else {
      needs = needs || wanted == (now == shm::kSwitchOff);
    }
  }
  return needs;
}

bool SessionSwitches::take_slot(std::uint64_t deadline_tsc, const Log& log) {
  auto& deadlines = segment_.control().switch_deadlines.tsc;
  if (slot_ && deadlines[*slot_].load(std::memory_order_relaxed) == deadline_tsc_) {
    deadlines[*slot_].store(deadline_tsc, std::memory_order_release);
  } else {
    MappedWords words(segment_);
    shm::take_deadline(words, shm::read_tsc(), deadline_tsc, &slot_);
  }
  if (!slot_) {
    if (!logged_) {
      log.error("cannot enable statements of " + segment_.name() +
                " for a session: too many changes with a time limit are active; wait until one "
                "expires");
    }
    logged_ = true;
    return false;
  }
  deadline_tsc_ = deadline_tsc;
  keep_({std::uint64_t{*slot_} + 1, deadline_tsc});
  return true;
}

void SessionSwitches::follow(std::uint64_t end_unix_ns, const Log& log) {
  if (segment_.truncated()) return;
  const bool wants = std::any_of(wanted_.begin(), wanted_.end(), [](auto one) { return one != 0; });
  if (!wants && !any_) return;
  const shm::ClockReading now = shm::read_clocks();
  const std::uint64_t left_ns = end_unix_ns > now.realtime_ns ? end_unix_ns - now.realtime_ns : 0;
  const std::uint64_t hz = segment_.header().tsc_frequency_hz;
  const std::uint64_t deadline_tsc = now.tsc + shm::ns_to_ticks(std::min(left_ns, kLeaseNs), hz);
  const std::uint64_t margin = shm::ns_to_ticks(kRenewalNs, hz);
  const bool renews =
      wants && (deadline_tsc > deadline_tsc_ + margin || deadline_tsc_ > deadline_tsc + margin);
  if ((!needs_change() && !renews) || !segment_.try_lock_switches()) return;
  MappedWords words(segment_);
  if (!wants || take_slot(deadline_tsc, log)) {
    for (std::uint32_t id = 1; id < since_tsc_.size(); ++id) {
      const std::uint8_t before = state(id);
      const std::uint8_t on = id < wanted_.size() ? wanted_[id] : shm::kSwitchOff;
      if (on == shm::kSwitchOff && is_ours(before)) words.write_switch(id, shm::kSwitchOff);
      if (on == shm::kSwitchOff || before != shm::kSwitchOff) continue;
      since_tsc_[id] = std::min(since_tsc_[id], shm::read_tsc());
      any_ = true;
      words.write_switch(id, shm::timed_switch(on, shm::kSwitchOff, *slot_));
    }
  }
  segment_.unlock_switches();
}

}  // namespace ringside::consumer
