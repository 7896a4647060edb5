#include "consumerd/triggers/trigger_queue.hpp"

#include <algorithm>
#include <utility>

namespace ringside::consumer {

void TriggerQueue::set_rules(std::vector<TriggerRule> rules) {
  rules_ = std::make_shared<const std::vector<TriggerRule>>(std::move(rules));
  std::map<std::string, State> states;
  for (const TriggerRule& rule : *rules_) states[rule.name] = states_[rule.name];
  states_ = std::move(states);
  state_of_.clear();
  for (const TriggerRule& rule : *rules_) state_of_.push_back(&states_[rule.name]);
}

bool TriggerQueue::may_fire(std::size_t rule) {
  State& state = *state_of_[rule];
  const TriggerRule& known = (*rules_)[rule];
  // A firing that is not carried out yet covers all others of that moment.
  const bool waits = std::any_of(waiting_.begin(), waiting_.end(), [&](const TriggerFiring& one) {
    return one.rule->name == known.name;
  });
  if (!waits && (!state.last || Clock::now() - *state.last >= known.pause)) return true;
  ++state.count.held_back;
  return false;
}

void TriggerQueue::fire(std::size_t rule, const TriggerSource& source, std::string statement,
                        std::string message) {
  State& state = *state_of_[rule];
  state.last = Clock::now();
  ++state.count.fired;
  state.count.last_fired_unix_s =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  if (message.size() > kMostTriggerMessage) {
    message.resize(kMostTriggerMessage);
    message += "...";
  }
  waiting_.push_back({rules_, &(*rules_)[rule], source, std::move(statement), std::move(message)});
}

void TriggerQueue::fire_all(TriggerRule::Cause cause, const TriggerSource& source,
                            const std::string& message, std::uint64_t losses) {
  for (std::size_t i = 0; i < rules_->size(); ++i) {
    const TriggerRule& rule = (*rules_)[i];
    if (rule.cause != cause || !rule.is_for(source.service)) continue;
    if (cause == TriggerRule::Cause::kLoss && losses < rule.losses_at_least) continue;
    if (may_fire(i)) fire(i, source, {}, message);
  }
}

std::optional<TriggerFiring> TriggerQueue::next() {
  if (waiting_.empty()) return {};
  TriggerFiring firing = std::move(waiting_.front());
  waiting_.pop_front();
  return firing;
}

std::map<std::string, TriggerCount> TriggerQueue::counts() const {
  std::map<std::string, TriggerCount> counts;
  for (const auto& [name, state] : states_) counts[name] = state.count;
  return counts;
}

}  // namespace ringside::consumer
