#pragma once
// Which segments to check, and when: thousands may wait for years.

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ringside::consumer {

class CheckQueue {
 public:
  using Clock = std::chrono::steady_clock;

  // Schedules `name` for `when`; moves a name that is already scheduled.
  void put(const std::string& name, Clock::time_point when) {
    const auto [at, is_new] = when_.try_emplace(name, when);
    if (!is_new) order_.erase({std::exchange(at->second, when), name});
    order_.emplace(when, name);
  }

  // Takes the name that has been due longest; nothing if none is due.
  std::optional<std::string> take_due(Clock::time_point now) {
    if (order_.empty() || order_.begin()->first > now) return {};
    std::string name = std::move(order_.extract(order_.begin()).value().second);
    when_.erase(name);
    return name;
  }

  // When the first name is due.
  std::optional<Clock::time_point> next_due() const {
    return order_.empty() ? std::nullopt : std::optional(order_.begin()->first);
  }

  // Takes all names, due or not, in the order of their times.
  std::vector<std::string> take_all() {
    std::vector<std::string> names;
    for (const auto& [when, name] : order_) names.push_back(name);
    order_.clear();
    when_.clear();
    return names;
  }

 private:
  std::map<std::string, Clock::time_point> when_;
  std::set<std::pair<Clock::time_point, std::string>> order_;
};

}  // namespace ringside::consumer
