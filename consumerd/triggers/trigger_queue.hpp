#pragma once
// Records which triggers fire, wherever that is detected, for the poll loop to carry out between
// its rounds.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "consumerd/metrics/trigger_count.hpp"
#include "consumerd/rules/trigger_rule.hpp"

namespace ringside::consumer {

using TriggerRules = std::shared_ptr<const std::vector<TriggerRule>>;

// The service that set a trigger off.
struct TriggerSource {
  std::string segment;  // its name
  std::string service;
  std::uint32_t pid = 0;      // as seen by the service itself
  std::uint64_t tick_hz = 0;  // of durations; 0: unknown
};

inline constexpr std::size_t kMostTriggerMessage = 1000;  // bytes; a longer message is cut

struct TriggerFiring {
  TriggerRules rules;  // keeps `rule` alive
  const TriggerRule* rule = nullptr;
  TriggerSource source;
  std::string statement;  // "orders.cpp:17"; empty for losses and deaths
  std::string message;    // the record's message; otherwise what happened
};

// Used by the poll loop's thread only.
class TriggerQueue {
 public:
  using Clock = std::chrono::steady_clock;

  // Rules that keep their name keep their counts and pauses. Watches created before become invalid.
  void set_rules(std::vector<TriggerRule> rules);
  const TriggerRules& rules() const { return rules_; }

  // Whether `rule`, an index of the rules, may fire now; counts it if not. Call it before the
  // arguments of fire() are built, and call fire() if it returns true.
  bool may_fire(std::size_t rule);
  void fire(std::size_t rule, const TriggerSource& source, std::string statement,
            std::string message);

  // Fires all rules for this cause and service that may fire.
  void fire_all(TriggerRule::Cause cause, const TriggerSource& source, const std::string& message,
                std::uint64_t losses = 0);

  // The next firing to carry out.
  std::optional<TriggerFiring> next();

  void count_failed_hook(const std::string& rule) { states_[rule].count.hooks_failed += 1; }
  // For all present rules.
  std::map<std::string, TriggerCount> counts() const;

 private:
  struct State {
    TriggerCount count;
    std::optional<Clock::time_point> last;  // when it last fired
  };

  TriggerRules rules_ = std::make_shared<const std::vector<TriggerRule>>();
  std::map<std::string, State> states_;  // by name
  std::vector<State*> state_of_;         // by index of the rule; nodes do not move
  std::deque<TriggerFiring>
      waiting_;  // bounded: a rule fires at most once per pause, or once per round
};

}  // namespace ringside::consumer
