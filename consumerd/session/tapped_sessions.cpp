#include "consumerd/session/tapped_sessions.hpp"

#include <chrono>

namespace ringside::consumer {

bool TappedSessions::add(TraceSession& session, const TapSource& source,
                         const std::shared_ptr<const RecordRules>& rules, std::string* why) {
  if (taps_ == nullptr) taps_ = std::make_unique<SegmentTaps>(source);
  return taps_->add(session, rules, why);
}

void TappedSessions::end_round(std::uint64_t watermark_tsc, std::span<const RingDrain> rings) {
  if (taps_ != nullptr) taps_->end_round(watermark_tsc, rings, std::chrono::steady_clock::now());
}

void TappedSessions::tend(DictionaryFeed* dictionary) {
  if (taps_ == nullptr) return;
  if (taps_->is_idle(std::chrono::steady_clock::now())) {
    taps_.reset();
    return;
  }
  // With all statements known by now.
  if (dictionary != nullptr && dictionary->update() == DictionaryFeed::Result::kReady) {
    taps_->follow_switches(dictionary->sites());
  }
}

void TappedSessions::finish(trace::EndReason reason) {
  if (taps_ == nullptr) return;
  taps_->finish(reason);
  taps_->leave(reason == trace::EndReason::kServiceEnded);
}

}  // namespace ringside::consumer
