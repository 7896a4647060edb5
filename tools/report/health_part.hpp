#pragma once
// The banner at the top: what is missing from the trace, how exact its times are, and what log
// calls took.

#include "tools/report/report_part.hpp"
#include "trace-format/blocks/read_report.hpp"

namespace ringside::tool {

class HealthPart final : public ReportPart {
 public:
  // Keeps the longest losses.
  static constexpr std::size_t kMostIntervals = 2'000;

  void add(const ReportEvent& event) override;

  // README.md, "health".
  nlohmann::json document(const TraceStats& stats, const trace::ReadReport& read,
                          const TimeGrid& grid) const;

 private:
  struct LostInterval {
    std::uint64_t lost = 0;
    std::uint64_t from_ns = 0;
    std::uint64_t to_ns = 0;
    std::uint32_t stream = 0;
    trace::LossCause cause = trace::LossCause::kUnknown;
  };

  std::vector<LostInterval> lost_;  // a heap: the least records at the front
  std::uint64_t further_ = 0;       // intervals that are not in lost_
};

}  // namespace ringside::tool
