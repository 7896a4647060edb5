#pragma once
// A long sleep while nothing moves, at one place for all segments: their services, the directory of
// the segments and signals end it.

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "consumerd/log/log.hpp"
#include "consumerd/session/segment_session.hpp"

namespace ringside::consumer {

// Ends the present sleep, or the next one. For signal handlers.
void interrupt_sleep();

class IdleSleep {
 public:
  using Sessions = std::vector<std::unique_ptr<SegmentSession>>;
  enum class Result : std::uint8_t {
    kNone,   // sleeping is impossible now: the caller naps
    kWoken,  // by a service
    kOver,
  };

  // `log` must outlive it.
  explicit IdleSleep(const Log& log) : log_(log) {}

  // From now on input on `fd` ends a sleep of the calling thread, which is the one that sleeps.
  // Without that, a sleep lasts its time.
  void watch(int fd);
  // The input that has come so far is about to be read.
  void begin_reading();

  // Waits until a service, input or a signal ends the sleep, `at_most` otherwise. Does not wait if
  // any session has work, or a service that cannot wake this process.
  Result sleep(const Sessions& sessions, std::chrono::nanoseconds at_most);

 private:
  Result wait(const Sessions& sessions, const std::vector<std::uint32_t>& calls,
              std::chrono::nanoseconds at_most);

  const Log& log_;
  std::uint32_t input_read_ = 0;
  bool refused_ = false;  // by the kernel, for good
};

}  // namespace ringside::consumer
