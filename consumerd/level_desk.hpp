#pragma once
// Lets in the records of a level for a time, as `ringctl level --for` does: until a deadline that
// lies in the segment, so that it ends whoever is alive then.

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "consumerd/attached_segment.hpp"
#include "consumerd/log.hpp"
#include "shm-layout/level.hpp"
#include "trace-format/site_table.hpp"

namespace ringside::consumer {

class LevelDesk {
 public:
  explicit LevelDesk(AttachedSegment& segment) : segment_(segment) {}

  // From `level` on, for so long from now.
  void ask(shm::Level level, std::chrono::nanoseconds time);

  bool is_asked() const { return !asked_.empty(); }
  // Does it, unless a tool is changing switches at the moment: then at one of the next calls.
  // `sites`: all that the service has.
  void serve(const trace::SiteTable& sites, const Log& log);

 private:
  struct Ask {
    shm::Level level;
    std::uint64_t deadline_tsc;
  };

  AttachedSegment& segment_;
  std::vector<Ask> asked_;  // one of each level
};

}  // namespace ringside::consumer
