#pragma once
// --cpu auto: the poll loop runs near the threads whose records it takes.

#include <chrono>
#include <memory>
#include <vector>

#include "consumerd/configuration/options.hpp"
#include "consumerd/log/log.hpp"
#include "consumerd/placement/placement.hpp"
#include "consumerd/session/segment_session.hpp"

namespace ringside::consumer {

class SessionPlacement {
 public:
  explicit SessionPlacement(const Log& log) : placement_(log) {}

  // Before the sandbox is entered. Does nothing without --cpu auto.
  void open(const Options& options) {
    if (options.cpu_auto) placement_.begin();
  }
  // Looks once a second.
  void follow(const std::vector<std::unique_ptr<SegmentSession>>& sessions,
              std::chrono::steady_clock::time_point now);

 private:
  Placement placement_;
  std::chrono::steady_clock::time_point looked_{};
};

}  // namespace ringside::consumer
