#include "tools/ringstat/status_alert.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>
#include <string>
#include <thread>

#include <fmt/format.h>

#include "tools/live/loss_causes.hpp"
#include "tools/ringstat/ringstat_exit_codes.hpp"
#include "tools/ringstat/segment_watch.hpp"
#include "trace-format/lines/visible_text.hpp"

namespace ringside::tool {
namespace {

using std::chrono::steady_clock;

constexpr auto kNap = std::chrono::milliseconds(50);
// After a consumerd or a service starts, it has this many samples to find the other.
constexpr int kPatience = 2;

struct Alert {
  int status = kStatOk;
  std::string text;
};

std::optional<Alert> alert_of(const ServiceView& view, std::uint64_t fill_limit_permille,
                              int looks_without_consumer) {
  const SegmentStatus& now = view.now;
  if (view.drops_grow) {
    return Alert{kStatLoss, fmt::format("{} records lost so far", now.lost())};
  }
  // Rings that are overwritten need a consumerd only for snapshots.
  const bool needs_consumer = now.alive && now.sub_buffer_bytes == 0;
  if (needs_consumer && now.consumer != ConsumerHealth::kPolling &&
      looks_without_consumer > kPatience) {
    return Alert{kStatConsumer, fmt::format("consumerd: {}", health_name(now.consumer))};
  }
  if (std::any_of(view.threads.begin(), view.threads.end(),
                  [](const ThreadView& thread) { return thread.now.quarantine != 0; })) {
    return Alert{kStatQuarantine, "a ring was quarantined: its contents are invalid"};
  }
  // Rings that are overwritten are full by design.
  if (now.sub_buffer_bytes == 0 && view.fullest_permille >= fill_limit_permille) {
    return Alert{kStatFull, fmt::format("a ring is {} % full", view.fullest_permille / 10)};
  }
  return {};
}

}  // namespace

int run_status_alert(const RingstatOptions& options, const std::atomic<bool>& stop) {
  SegmentWatch watch(options.services);
  const auto begin = steady_clock::now();
  const auto limit = std::chrono::nanoseconds(options.limit_ns);
  std::map<std::string, int> without_consumer;  // samples in a row, by path
  for (;;) {
    std::string why;
    if (!watch.look(&why)) {
      std::fprintf(stderr, "ringstat: %s\n", trace::visible(why).c_str());
      return kStatFailed;
    }
    std::optional<Alert> first;
    std::map<std::string, int> still_without;
    for (const ServiceView& view : watch.services()) {
      if (view.now.consumer != ConsumerHealth::kPolling) {
        still_without[view.now.path] = without_consumer[view.now.path] + 1;
      }
      auto alert = alert_of(view, options.fill_limit_permille, still_without[view.now.path]);
      if (!alert || (first && first->status <= alert->status)) continue;
      alert->text =
          fmt::format("{} {}: {}", trace::visible(view.now.service), view.now.pid, alert->text);
      first = std::move(alert);
    }
    if (first) {
      std::puts(first->text.c_str());
      return first->status;
    }
    without_consumer = std::move(still_without);
    const auto next = steady_clock::now() + std::chrono::nanoseconds(options.interval_ns);
    while (steady_clock::now() < next) {
      if (stop.load(std::memory_order_relaxed)) return kStatOk;
      if (options.limit_ns != 0 && steady_clock::now() - begin >= limit) return kStatOk;
      std::this_thread::sleep_for(kNap);
    }
  }
}

}  // namespace ringside::tool
