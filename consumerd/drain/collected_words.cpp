#include "consumerd/drain/collected_words.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <set>

#include "shm-layout/dictionary_entry.hpp"

namespace ringside::consumer {
namespace {

using trace::CollectedStatement;
using trace::StatementState;

StatementState state_of(std::uint8_t plain) {
  if (plain == shm::kSwitchCounting) return StatementState::kCounting;
  const bool is_on = plain == shm::kSwitchOn || plain == shm::kSwitchOnConsumerClock;
  return is_on ? StatementState::kOn : StatementState::kOff;
}

StatementState by_level(const trace::Site& site, std::uint32_t level) {
  return static_cast<std::uint32_t>(site.level) < level ? StatementState::kOff
                                                        : StatementState::kOn;
}

// What the level alone makes of a statement.
CollectedStatement expected(const trace::CollectionState& state, const trace::Site& site) {
  CollectedStatement statement{site.id, by_level(site, state.level),
                               by_level(site, state.level_after), state.level_deadline_tsc};
  if (statement.state == statement.state_after) statement.deadline_tsc = 0;
  return statement;
}

}  // namespace

std::size_t CollectedWords::switch_count() const {
  const std::uint64_t sites = segment_.control().service.site_count.load(std::memory_order_acquire);
  return std::min<std::uint64_t>(sites + 1, segment_.layout().site_capacity);
}

std::uint8_t CollectedWords::present_switch(std::size_t id) const {
  return std::atomic_ref<std::uint8_t>(segment_.switches()[id]).load(std::memory_order_relaxed);
}

bool CollectedWords::have_changed() const {
  const shm::ServiceLine& line = segment_.control().service;
  if (line.level.load(std::memory_order_relaxed) != level_ ||
      line.overflow_policy.load(std::memory_order_relaxed) != policy_ ||
      line.block_timeout_ms.load(std::memory_order_relaxed) != block_timeout_ms_ ||
      switch_count() != switches_.size()) {
    return true;
  }
  for (std::size_t id = 1; id < switches_.size(); ++id) {
    if (present_switch(id) != switches_[id]) return true;
  }
  return false;
}

void CollectedWords::read() {
  const shm::ControlPage& control = segment_.control();
  level_ = control.service.level.load(std::memory_order_acquire);
  policy_ = control.service.overflow_policy.load(std::memory_order_relaxed);
  block_timeout_ms_ = control.service.block_timeout_ms.load(std::memory_order_relaxed);
  switches_.resize(switch_count());
  for (std::size_t id = 0; id < switches_.size(); ++id) switches_[id] = present_switch(id);
  // After the switches, which refer to them.
  std::atomic_thread_fence(std::memory_order_acquire);
  for (std::uint32_t slot = 0; slot < shm::kSwitchDeadlineSlots; ++slot) {
    deadlines_[slot] = control.switch_deadlines.tsc[slot].load(std::memory_order_relaxed);
  }
}

trace::CollectionState CollectedWords::state(const trace::SiteTable& sites,
                                             std::uint64_t now_tsc) const {
  trace::CollectionState state;
  state.level = state.level_after = static_cast<std::uint8_t>(shm::level_after(level_));
  if (shm::is_timed_level(level_) && deadlines_[shm::level_deadline_slot(level_)] > now_tsc) {
    state.level = static_cast<std::uint8_t>(shm::level_meanwhile(level_));
    state.level_deadline_tsc = deadlines_[shm::level_deadline_slot(level_)];
  }
  state.overflow_policy = static_cast<std::uint8_t>(
      std::min<std::uint32_t>(policy_, trace::CollectionState::kUnknownPolicy));
  state.block_timeout_ms = block_timeout_ms_;
  for (std::size_t id = 1; id < switches_.size(); ++id) {
    const trace::Site* const site = sites.find(static_cast<std::uint32_t>(id));
    if (site == nullptr || switches_[id] == shm::kSwitchUnregistered) continue;
    const std::uint8_t word = switches_[id];
    const std::uint64_t deadline =
        shm::is_timed(word) ? deadlines_[shm::switch_deadline_slot(word)] : 0;
    const StatementState after = state_of(shm::settled_switch(word));
    CollectedStatement statement{site->id, after, after, 0};
    if (deadline > now_tsc && state_of(shm::present_switch(word)) != after) {
      statement.state = state_of(shm::present_switch(word));
      statement.deadline_tsc = deadline;
    }
    if (statement != expected(state, *site)) state.statements.push_back(statement);
  }
  return state;
}

std::uint64_t next_deadline(const trace::CollectionState& state) {
  std::uint64_t first = std::numeric_limits<std::uint64_t>::max();
  if (state.level_deadline_tsc != 0) first = state.level_deadline_tsc;
  for (const CollectedStatement& statement : state.statements) {
    if (statement.deadline_tsc != 0) first = std::min(first, statement.deadline_tsc);
  }
  return first;
}

std::vector<std::uint64_t> expire(trace::CollectionState& state, const trace::SiteTable& sites,
                                  std::uint64_t now_tsc) {
  std::set<std::uint64_t> over;
  if (state.level_deadline_tsc != 0 && state.level_deadline_tsc <= now_tsc) {
    over.insert(state.level_deadline_tsc);
    state.level = state.level_after;
    state.level_deadline_tsc = 0;
  }
  for (CollectedStatement& statement : state.statements) {
    if (statement.deadline_tsc == 0 || statement.deadline_tsc > now_tsc) continue;
    over.insert(statement.deadline_tsc);
    statement.state = statement.state_after;
    statement.deadline_tsc = 0;
  }
  if (over.empty()) return {};
  std::erase_if(state.statements, [&](const CollectedStatement& statement) {
    const trace::Site* const site = sites.find(statement.site_id);
    return site != nullptr && statement == expected(state, *site);
  });
  return {over.begin(), over.end()};
}

}  // namespace ringside::consumer
