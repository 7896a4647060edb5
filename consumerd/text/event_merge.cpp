#include "consumerd/text/event_merge.hpp"

#include <algorithm>

namespace ringside::consumer {

SegmentEvents* EventMerge::next(const Segments& segments, Clock::time_point now, bool patient) {
  waiting_ = false;
  // Mostly the events of one segment follow each other.
  if (current_ != nullptr && (current_->has_event() || current_->next(now)) && has_rival_ &&
      current_->found() == found_ && current_->key() < rival_) {
    return current_;
  }
  current_ = nullptr;
  has_rival_ = false;
  SegmentEvents* first = nullptr;
  std::uint64_t limit_ns = UINT64_MAX;  // of segments without an event
  for (const auto& segment : segments) {
    if (!segment->has_event() && !segment->next(now)) {
      if (!segment->is_over()) limit_ns = std::min(limit_ns, segment->limit_ns());
      continue;
    }
    if (first == nullptr || segment->key() < first->key()) {
      if (first != nullptr && (!has_rival_ || first->key() < rival_)) {
        rival_ = first->key();
        has_rival_ = true;
      }
      first = segment.get();
    } else if (!has_rival_ || segment->key() < rival_) {
      rival_ = segment->key();
      has_rival_ = true;
    }
  }
  if (first == nullptr) return nullptr;
  const bool settled = first->key().unix_ns < limit_ns;
  if (patient && !settled && now - first->found() < kOrderWait) {
    waiting_ = true;
    has_rival_ = false;
    return nullptr;
  }
  // Events that have waited long enough wait no longer for segments that have none.
  const std::uint64_t bound_ns = settled ? limit_ns : UINT64_MAX;
  if (!has_rival_ || rival_.unix_ns >= bound_ns) rival_ = {bound_ns, 0, 0};
  has_rival_ = true;
  found_ = first->found();
  current_ = first;
  return first;
}

}  // namespace ringside::consumer
