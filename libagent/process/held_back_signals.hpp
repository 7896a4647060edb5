#pragma once
// Hides signals that a system call of the library raises from the service.

#include <initializer_list>
#include <signal.h>

namespace ringside {

// Blocks `signals` in the calling thread during its life, and removes those that became pending in
// that time. A signal that was pending before stays pending.
class HeldBackSignals {
 public:
  explicit HeldBackSignals(std::initializer_list<int> signals);
  ~HeldBackSignals();
  HeldBackSignals(const HeldBackSignals&) = delete;
  HeldBackSignals& operator=(const HeldBackSignals&) = delete;

 private:
  sigset_t raised_by_us_;
  sigset_t saved_mask_;
};

}  // namespace ringside
