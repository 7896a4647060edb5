#pragma once
// Which segments are to be looked at, and when: thousands may wait for years.

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace ringside::consumer {

class LookQueue {
 public:
  using Clock = std::chrono::steady_clock;

  // At `when`; a name that is there already is moved.
  void put(const std::string& name, Clock::time_point when) {
    const auto [at, is_new] = when_.try_emplace(name, when);
    if (!is_new) order_.erase({std::exchange(at->second, when), name});
    order_.emplace(when, name);
  }

  // Takes the one that is due for longest; nothing if none is.
  std::optional<std::string> take_due(Clock::time_point now) {
    if (order_.empty() || order_.begin()->first > now) return {};
    std::string name = std::move(order_.extract(order_.begin()).value().second);
    when_.erase(name);
    return name;
  }

 private:
  std::map<std::string, Clock::time_point> when_;
  std::set<std::pair<Clock::time_point, std::string>> order_;
};

}  // namespace ringside::consumer
