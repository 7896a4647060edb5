#pragma once
// Keeps the calling thread on processors near the producers (--cpu auto).

#include "consumerd/log/log.hpp"
#include "consumerd/placement/near_processors.hpp"

namespace ringside::consumer {

class Placement {
 public:
  explicit Placement(const Log& log) : log_(log) {}

  // Reads which processors there are; without it follow() does nothing. Call it before the sandbox
  // is entered, because files under /sys cannot be opened there.
  void begin(const std::string& system_dir = "/sys/devices/system");

  bool is_on() const { return allowed_.any(); }

  // What producers have written since the last call. Moves the thread when two calls in a row speak
  // for the same other processors: a producer that the kernel moves does not drag it along.
  void follow(const BytesByProcessor& producers);

 private:
  const Log& log_;
  ProcessorMap map_;
  ProcessorSet allowed_;  // when it began; empty: off
  ProcessorSet present_;  // empty: all of allowed_
  ProcessorSet wanted_;   // by the last call
};

}  // namespace ringside::consumer
