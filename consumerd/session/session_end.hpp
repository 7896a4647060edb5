#pragma once
// How far the end of a segment's session is, and why it ends.

#include <cstdint>

#include "trace-format/blocks/block_writer.hpp"

namespace ringside::consumer {

class SessionEnd {
 public:
  void begin(trace::EndReason reason) {
    if (has_begun()) return;
    progress_ = Progress::kDraining;
    reason_ = reason;
  }
  // The end of a turn: another session of this consumerd continues.
  void begin_turn_end() {
    begin(trace::EndReason::kConsumerEnded);
    turn_is_over_ = true;
  }
  // The rest is drained and sealed.
  void seal() { progress_ = Progress::kSealed; }

  bool has_begun() const { return progress_ != Progress::kNone; }
  bool is_sealed() const { return progress_ == Progress::kSealed; }
  trace::EndReason reason() const { return reason_; }
  bool is_of_service() const { return reason_ == trace::EndReason::kServiceEnded; }
  bool turn_is_over() const { return turn_is_over_; }

 private:
  enum class Progress : std::uint8_t { kNone, kDraining, kSealed };

  trace::EndReason reason_ = trace::EndReason::kConsumerEnded;
  Progress progress_ = Progress::kNone;
  bool turn_is_over_ = false;
};

}  // namespace ringside::consumer
