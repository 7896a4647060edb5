#include "tools/interop/nettrace/nettrace_clock.hpp"

#include <chrono>

namespace ringside::tool::nettrace {

std::optional<Clock> Clock::of(const TraceFacts& trace, std::string* why) {
  constexpr std::int64_t kNsPerSecond = 1'000'000'000;
  const auto& t = trace.sync_time;
  const std::chrono::year_month_day day{std::chrono::year(t[0]), std::chrono::month(t[1]),
                                        std::chrono::day(t[3])};
  if (!day.ok() || t[0] < 1678 || t[0] > 2261 || t[4] > 23 || t[5] > 59 || t[6] > 60 ||
      t[7] > 999) {
    *why = "the trace object has an invalid time";
    return {};
  }
  if (trace.qpc_frequency <= 0) {
    *why = "the clock of the trace object has " + std::to_string(trace.qpc_frequency) +
           " ticks per second";
    return {};
  }
  Clock clock;
  const std::int64_t days = std::chrono::sys_days(day).time_since_epoch().count();
  const std::int64_t seconds = ((days * 24 + t[4]) * 60 + t[5]) * 60 + t[6];
  clock.sync_ns_ = seconds * kNsPerSecond + t[7] * std::int64_t{1'000'000};
  clock.sync_qpc_ = trace.sync_qpc;
  clock.frequency_ = trace.qpc_frequency;
  if (kNsPerSecond % trace.qpc_frequency == 0) clock.whole_ns_ = kNsPerSecond / trace.qpc_frequency;
  return clock;
}

}  // namespace ringside::tool::nettrace
