#pragma once
// How long the poll loop naps between two rounds.

#include <chrono>

#include "consumerd/session/round_result.hpp"

namespace ringside::consumer {

class RoundPace {
 public:
  // Waits until about one batch should have gathered: less if a ring might fill up, and ever longer
  // while nothing happens.
  void nap_after(const RoundResult& round);

 private:
  std::chrono::steady_clock::time_point last_round_{};
  std::chrono::nanoseconds nap_{0};
};

}  // namespace ringside::consumer
