#include "consumerd/drain/call_cost_reporter.hpp"

#include <span>

#include "shm-layout/clock_reading.hpp"
#include "trace-format/blocks/call_costs_block.hpp"

namespace ringside::consumer {

CallCostReporter::CallCostReporter(AttachedSegment& segment)
    : totals_(segment), one_in_(segment.header().cost_sampling) {}

CallCostTotals::Read CallCostReporter::read_on() {
  const CallCostTotals::Read read = totals_.read_on();
  if (read == CallCostTotals::Read::kAll) read_tsc_ = shm::read_tsc();
  return read;
}

bool CallCostReporter::report(Clock::time_point now, TraceFile& file, std::uint64_t* file_bytes) {
  if (!totals_.is_measured()) return true;
  if (totals_.is_reading() || now >= next_read_) {
    const CallCostTotals::Read read = read_on();
    if (read != CallCostTotals::Read::kSome) next_read_ = now + kInterval;
    if (read == CallCostTotals::Read::kAll) is_unwritten_ = totals_.values() != stated_;
  }
  if (!is_unwritten_) return true;
  is_unwritten_ = !write(file, file_bytes);
  return !is_unwritten_;
}

bool CallCostReporter::report_at_end(TraceFile& file, std::uint64_t* file_bytes) {
  if (!totals_.is_measured()) return true;
  if (totals_.is_short() && rest_ != Rest::kRead) {
    totals_.begin_again();
    read_on();
  }
  const bool has_section = place_ == file.sequence();
  return (has_section && totals_.values() == stated_) || write(file, file_bytes);
}

bool CallCostReporter::read_rest() {
  if (!totals_.is_measured() || rest_ == Rest::kRead) return true;
  if (rest_ == Rest::kUnread) totals_.begin_again();
  rest_ = read_on() == CallCostTotals::Read::kSome ? Rest::kReading : Rest::kRead;
  return rest_ == Rest::kRead;
}

bool CallCostReporter::write(TraceFile& file, std::uint64_t* file_bytes) {
  const trace::CallCostsBlock costs{read_tsc_, one_in_, totals_.values()};
  if (costs.counts == shm::CallCostCounts()) return true;  // no call was measured yet
  const std::span<std::byte> out = file.space(trace::call_costs_block_bytes(costs));
  if (out.empty()) return false;
  const std::size_t bytes = trace::write_call_costs_block(costs, out);
  file.commit(bytes);
  *file_bytes += bytes;
  stated_ = costs.counts;
  place_ = file.sequence();
  return true;
}

}  // namespace ringside::consumer
