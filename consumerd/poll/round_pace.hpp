#pragma once
// How long the poll loop rests between two rounds.

#include <chrono>
#include <cstdint>

#include "consumerd/log/log.hpp"
#include "consumerd/poll/idle_sleep.hpp"
#include "consumerd/session/round_result.hpp"

namespace ringside::consumer {

class RoundPace {
 public:
  using Clock = std::chrono::steady_clock;

  // `log` must outlive it.
  explicit RoundPace(const Log& log) : sleep_(log) {}

  // See IdleSleep.
  void watch(int fd) { sleep_.watch(fd); }
  void begin_reading() { sleep_.begin_reading(); }

  // Something has begun that may soon bring records: no sleep for some time.
  void stay_awake(Clock::time_point now) { busy_ = now; }

  // Waits until about one batch should have gathered: less if a ring might fill up, and ever longer
  // while nothing happens. When little has happened for some time, sleeps until a service wakes
  // this process, or `until`.
  void rest_after(const RoundResult& round, const IdleSleep::Sessions& sessions,
                  Clock::time_point until);

 private:
  void note_load(const RoundResult& round, Clock::time_point now);

  IdleSleep sleep_;
  Clock::time_point last_round_{};
  std::chrono::nanoseconds nap_{0};
  Clock::time_point busy_ = Clock::now();  // when the load was last too high for a sleep
  Clock::time_point window_start_{};
  std::uint64_t window_bytes_ = 0;
};

}  // namespace ringside::consumer
