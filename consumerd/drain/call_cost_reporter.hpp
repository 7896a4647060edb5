#pragma once
// Copies what the log calls of a segment took into its trace, as CALL_COSTS blocks.

#include <chrono>
#include <cstdint>
#include <optional>

#include "consumerd/discover/attached_segment.hpp"
#include "consumerd/rings/call_cost_totals.hpp"
#include "consumerd/write/trace_file.hpp"
#include "shm-layout/call_cost_counts.hpp"

namespace ringside::consumer {

// Each block has the totals since the start of the service, and readers use the newest one of a
// segment. So no journal is needed, and each file has the totals up to its end.
class CallCostReporter {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr auto kInterval = std::chrono::seconds(10);

  explicit CallCostReporter(AttachedSegment& segment);

  // In each round: reads some of the counters if that is due, and appends the totals if they are
  // new. False if staging is full: call it again.
  bool report(Clock::time_point now, TraceFile& file, std::uint64_t* file_bytes);

  // Before the end of a section: appends the totals, unless the section has them. Those of a
  // service with many rings, which continues, can be as old as the last report().
  bool report_at_end(TraceFile& file, std::uint64_t* file_bytes);

  // Before the end of the session: reads all counters. False if there are more: call it again.
  bool read_rest();

 private:
  CallCostTotals::Read read_on();
  bool write(TraceFile& file, std::uint64_t* file_bytes);

  CallCostTotals totals_;
  const std::uint32_t one_in_;
  std::uint64_t read_tsc_ = 0;          // when all counters had last been read
  shm::CallCostCounts stated_;          // by the last block
  std::optional<std::uint32_t> place_;  // number of the file that has it
  Clock::time_point next_read_;
  bool is_unwritten_ = false;  // a report() waits for staging
  enum class Rest : std::uint8_t { kUnread, kReading, kRead };
  Rest rest_ = Rest::kUnread;
};

}  // namespace ringside::consumer
