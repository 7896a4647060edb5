#pragma once
/// @file
/// Records that share one time stamp, for C++17 and later.

#include "required_platform.h"
// Before all others.
#include <cstdint>
#include <type_traits>

#include "abi.h"

namespace ringside {

/// Reads the clock once for all statements in its scope.
///
///     ringside::Burst rs_burst;
///     for (const Level& level : book) RS_INFO("%u at %u", level.size, level.price);
///
/// The records have the time at which the variable was created, and keep their order. Its name must
/// be `rs_burst`: statements look for this name, so only those within its scope in the source take
/// its time. Statements of functions that are called there read the clock, as always, unless the
/// function has a parameter `const ringside::Burst& rs_burst`.
///
/// For statements in the styles of printf, std::format, streams and events, of levels and formats
/// that are known at run time, and for RS_TEXT. Those in C, and of the headers in compat/, read the
/// clock. RS_LOG_CONSUMER_CLOCK remains as it is. In a lambda that runs after the scope has ended,
/// or in another thread, the consumer sets the time.
///
/// Keep the scope short: records of it that are written more than some 100 ms later are late for a
/// reader that follows the trace, which shows and counts them as such.
/// @par Thread safety
/// Belongs to the thread that creates it, and ends there. In signal handlers too.
class Burst {
 public:
  Burst() noexcept : before_(rs_thread_state.times[RS_STATE_IN_BURST]) {
    rs_thread_state.times[RS_STATE_IN_BURST] = rs_clock();
  }
  ~Burst() { rs_thread_state.times[RS_STATE_IN_BURST] = before_; }
  Burst(const Burst&) = delete;
  Burst& operator=(const Burst&) = delete;

 private:
  std::uint64_t before_;
};

namespace detail {

// `Found`: the type of what `rs_burst` names where a statement stands. Only its type is used, so
// that a lambda need not capture it.
template <class Found>
inline constexpr bool is_burst =
    std::is_same_v<std::remove_cv_t<std::remove_reference_t<Found>>, Burst>;

// The state with which a statement is recorded.
template <bool kIsInBurst>
[[gnu::always_inline]] inline std::uint8_t state_in_scope(std::uint8_t state) {
  if constexpr (kIsInBurst) {
    return state == RS_SWITCH_ON ? std::uint8_t{RS_STATE_IN_BURST} : state;
  } else {
    return state;
  }
}

}  // namespace detail
}  // namespace ringside

// What statements find without a burst. A function, because compilers warn of a local variable that
// has the name of a global one. Never defined.
void rs_burst();

#define RS_IS_IN_BURST_ ::ringside::detail::is_burst<decltype(rs_burst)>
#define RS_STATE_IN_SCOPE_(state_) ::ringside::detail::state_in_scope<RS_IS_IN_BURST_>(state_)
