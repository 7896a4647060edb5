#pragma once
// Selects the records of one statement that are kept, over all threads of a service together.

#include <cstdint>

#include "consumerd/rules/record_rules.hpp"

namespace ringside::consumer {

class StatementSampling {
 public:
  // Counts of the records until now.
  struct State {
    std::uint64_t seen = 0;
    std::uint64_t left_out = 0;
    std::uint64_t second_start_tsc = 0;
    std::uint64_t in_second = 0;  // kept in that second
  };

  StatementSampling(const SampleRule& rule, std::uint64_t tsc_frequency_hz)
      : one_in_(rule.one_in), per_second_(rule.per_second), second_ticks_(tsc_frequency_hz) {}

  // Whether the next record is kept. Counts it in the tentative state.
  bool keeps(std::uint64_t tsc) {
    State& state = tentative_;
    const bool in_turn = one_in_ == 0 || state.seen % one_in_ == 0;
    ++state.seen;
    const bool kept = in_turn && has_room(tsc);
    if (!kept) ++state.left_out;
    return kept;
  }

  // The encoder may take fewer records than were checked: the rest is checked again later.
  const State& tentative() const { return tentative_; }
  void settle(const State& state) { settled_ = state; }
  void begin_again() { tentative_ = settled_; }

  std::uint64_t left_out() const { return settled_.left_out; }

 private:
  // Records of threads arrive ring by ring: a record older than the present second counts in it.
  bool has_room(std::uint64_t tsc) {
    if (per_second_ == 0) return true;
    State& state = tentative_;
    if (tsc >= state.second_start_tsc + second_ticks_ || state.second_start_tsc == 0) {
      state.second_start_tsc = tsc;
      state.in_second = 0;
    }
    if (state.in_second == per_second_) return false;
    ++state.in_second;
    return true;
  }

  std::uint64_t one_in_;
  std::uint64_t per_second_;
  std::uint64_t second_ticks_;
  State settled_;
  State tentative_;
};

}  // namespace ringside::consumer
