#pragma once
// The events of a service's segments in the order of time.

#include <chrono>
#include <memory>
#include <vector>

#include "consumerd/text/segment_events.hpp"

namespace ringside::consumer {

// Not thread-safe.
class EventMerge {
 public:
  using Clock = SegmentEvents::Clock;
  using Segments = std::vector<std::unique_ptr<SegmentEvents>>;

  // The longest time for which an event waits for older ones of other segments.
  static constexpr auto kOrderWait = std::chrono::milliseconds(400);

  // The segment with the next event; null if there is none now. `patient`: an event waits until no
  // other segment can have an older one, or for kOrderWait.
  SegmentEvents* next(const Segments& segments, Clock::time_point now, bool patient);
  // Whether next() returned null although there is an event.
  bool is_waiting() const { return waiting_; }
  // The segments have changed.
  void reset() { current_ = nullptr; }

 private:
  SegmentEvents* current_ = nullptr;
  trace::EventKey rival_;  // of the other segments: no event of theirs is older
  bool has_rival_ = false;
  Clock::time_point found_{};  // when the events of current_ were found
  bool waiting_ = false;
};

}  // namespace ringside::consumer
