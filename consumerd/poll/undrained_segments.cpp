#include "consumerd/poll/undrained_segments.hpp"

#include <algorithm>

namespace ringside::consumer {
namespace {

constexpr std::size_t kMostUndrained = 1000;

}  // namespace

void UndrainedSegments::put(const std::string& name, const std::string& why, bool waits) {
  if (segments_.size() < kMostUndrained || segments_.contains(name)) {
    segments_.insert_or_assign(name, Segment{why, waits});
  }
}

bool UndrainedSegments::any_waits() const {
  return std::any_of(segments_.begin(), segments_.end(),
                     [](const auto& one) { return one.second.waits; });
}

std::string UndrainedSegments::summary() const {
  if (segments_.empty()) return {};
  return std::to_string(segments_.size()) +
         " segments are not drained: " + segments_.begin()->second.why;
}

void UndrainedSegments::log_all(const Log& log) const {
  for (const auto& [name, segment] : segments_) {
    log.error("not drained: " + segment.why, {{"segment", name}});
  }
}

}  // namespace ringside::consumer
