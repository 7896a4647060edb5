#pragma once
// The page that Prometheus reads: names, units and types of all metrics (README.md, "Metrics").

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "consumerd/metrics/service_table.hpp"
#include "consumerd/metrics/session_count.hpp"
#include "consumerd/metrics/trigger_count.hpp"

namespace ringside::consumer {

// Durations of rounds over all rings, without naps.
class RoundTimes {
 public:
  static constexpr std::array<double, 7> kBoundsS{1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10};

  void add(double seconds) {
    std::size_t i = 0;
    while (i < kBoundsS.size() && seconds > kBoundsS[i]) ++i;
    ++counts_[i];
    sum_s_ += seconds;
  }
  double sum_s() const { return sum_s_; }
  // Rounds of at most kBoundsS[i]; the last entry, [kBoundsS.size()], counts longer rounds.
  const std::array<std::uint64_t, kBoundsS.size() + 1>& counts() const { return counts_; }

 private:
  std::array<std::uint64_t, kBoundsS.size() + 1> counts_{};
  double sum_s_ = 0;
};

// Of the text files.
struct TextCounts {
  std::uint64_t bytes = 0;
  std::uint64_t lines = 0;
  std::uint64_t failures = 0;
  std::uint64_t failing_services = 0;
};

// What retention removed before it was shipped.
struct UnshippedCounts {
  std::uint64_t files = 0;
  std::uint64_t records = 0;
};

// The figures of consumerd itself.
struct ConsumerFigures {
  double start_unix_s = 0;
  RoundTimes rounds;
  std::uint64_t segments = 0;  // drained now
  std::uint64_t segments_adopted = 0;
  std::uint64_t segments_waiting = 0;  // for descriptors
  std::uint64_t segments_refused = 0;
  std::uint64_t failed_recoveries = 0;  // staging files that wait for another attempt
  std::uint64_t bytes_written = 0;
  std::uint64_t write_failures = 0;
  std::uint64_t failing_writes = 0;  // slots
  std::uint64_t syncs = 0;
  std::uint64_t sync_failures = 0;
  std::uint64_t slots = 0;
  std::uint64_t slots_used = 0;
  bool directory_gone = false;
  std::map<std::string, TriggerCount> triggers;  // by name
  UnshippedCounts unshipped;
  std::optional<TextCounts> text;                // nothing without --text
  std::map<std::string, SessionCount> sessions;  // those that run, by name
};

struct MetricsSnapshot {
  ConsumerFigures consumer;
  std::vector<ServiceRow> services;
  std::string trouble;  // why it is not ready; empty if it is
};

// In Prometheus's text format, version 0.0.4. `silent_s`: time since the snapshot was taken, about
// once a second. Includes the processor time that this process has used until now.
std::string metrics_page(const MetricsSnapshot& snapshot, double silent_s);

}  // namespace ringside::consumer
