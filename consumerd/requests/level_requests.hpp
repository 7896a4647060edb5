#pragma once
// Enables the records of a level for a limited time, as `ringctl level --for` does. The deadline is
// in the segment, so it holds whether or not consumerd still runs.

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "consumerd/discover/attached_segment.hpp"
#include "consumerd/log/log.hpp"
#include "shm-layout/level.hpp"
#include "trace-format/codec/site_table.hpp"

namespace ringside::consumer {

class LevelRequests {
 public:
  explicit LevelRequests(AttachedSegment& segment) : segment_(segment) {}

  // Requests `level` and severer levels for `time` from now, on behalf of `trigger`.
  void ask(shm::Level level, std::chrono::nanoseconds time, const std::string& trigger);

  bool is_asked() const { return !asked_.empty(); }
  // Carries out requests, unless a tool is changing switches: then one of the next calls does it.
  // `sites`: all sites of the service.
  void serve(const trace::SiteTable& sites, const Log& log);

 private:
  struct Ask {
    shm::Level level;
    std::uint64_t deadline_tsc;
    std::string trigger;  // the last one
  };
  void announce(const Ask& ask, std::uint64_t now_tsc);

  AttachedSegment& segment_;
  std::vector<Ask> asked_;  // one entry per level
};

}  // namespace ringside::consumer
