#pragma once
// What the measuring templates require of a tracer.

#include <concepts>

#include "perf/harness/messages.hpp"

namespace ringside::perf {

// call<Case>(i) makes the one log call of that case, inlined into the measuring loop as the
// tracer's own macro would be. settle() is called between bursts, unmeasured, and gives the
// tracer's consumer time to catch up: logging without a pause would measure the consumer instead.
template <class T>
concept Subject = requires(int i) {
  { T::kName } -> std::convertible_to<const char*>;
  T::template call<Case::static_text>(i);
  T::settle();
};

}  // namespace ringside::perf
