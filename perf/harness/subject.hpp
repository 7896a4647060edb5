#pragma once
// What the measuring templates ask of a tracer.

#include <concepts>

#include "perf/harness/messages.hpp"

namespace ringside::perf {

// call<Case>(i) makes the one log call of that case, inlined into the measuring loop where the
// tracer's own macro would be. settle() is called between bursts, unmeasured, and gives the
// tracer's consumer the time to catch up: a service that logs without end would measure the
// consumer.
template <class T>
concept Subject = requires(int i) {
  { T::kName } -> std::convertible_to<const char*>;
  T::template call<Case::static_text>(i);
  T::settle();
};

}  // namespace ringside::perf
