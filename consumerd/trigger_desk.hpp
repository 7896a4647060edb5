#pragma once
// Takes down what sets triggers off, wherever that is noticed, for the poll loop to carry out
// between its rounds.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "consumerd/trigger_count.hpp"
#include "consumerd/trigger_rule.hpp"

namespace ringside::consumer {

using TriggerRules = std::shared_ptr<const std::vector<TriggerRule>>;

// Who set a trigger off.
struct TriggerSource {
  std::string segment;  // its name
  std::string service;
  std::uint32_t pid = 0;  // as the service itself sees it
};

inline constexpr std::size_t kMostTriggerMessage = 1000;  // bytes; what is longer is cut

struct TriggerFiring {
  TriggerRules rules;  // keeps `rule` alive
  const TriggerRule* rule = nullptr;
  TriggerSource source;
  std::string statement;  // "orders.cpp:17"; of losses and deaths empty
  std::string message;    // of the record; else what has happened
};

// For the poll loop's thread alone.
class TriggerDesk {
 public:
  using Clock = std::chrono::steady_clock;

  // Rules of the same name go on with their counts and pauses. Watches made before are void.
  void set_rules(std::vector<TriggerRule> rules);
  const TriggerRules& rules() const { return rules_; }

  // Whether `rule`, by its place among the rules, may fire now; if not, that is counted. Asked
  // before anything is made for fire(), which follows if it may.
  bool may_fire(std::size_t rule);
  void fire(std::size_t rule, const TriggerSource& source, std::string statement,
            std::string message);

  // All rules of this cause that are for the service and may fire.
  void fire_all(TriggerRule::Cause cause, const TriggerSource& source, const std::string& message,
                std::uint64_t losses = 0);

  // The next that is to be carried out.
  std::optional<TriggerFiring> next();

  void count_failed_hook(const std::string& rule) { states_[rule].count.hooks_failed += 1; }
  // Of all rules that there are.
  std::map<std::string, TriggerCount> counts() const;

 private:
  struct State {
    TriggerCount count;
    std::optional<Clock::time_point> last;  // when it fired
  };

  TriggerRules rules_ = std::make_shared<const std::vector<TriggerRule>>();
  std::map<std::string, State> states_;  // by name
  std::vector<State*> state_of_;         // by place; nodes do not move
  std::deque<TriggerFiring> waiting_;    // a rule fires no faster than its pause, or once a round
};

}  // namespace ringside::consumer
