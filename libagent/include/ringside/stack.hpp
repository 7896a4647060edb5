#pragma once
/// @file
/// Events with the stack of the thread, for C++17 and later.

#include "required_platform.h"
// Before all others.
#include <cstddef>
#include <cstdint>

#include "event.hpp"
#include "stack_abi.h"

namespace ringside {

/// The return addresses on the stack of the calling thread, innermost first: at most 32. A value
/// for RS_EVENT and the like; RS_STACK adds one.
///
/// @par Thread safety
/// Can be used in any thread, and in signal handlers. Takes no lock and does not allocate beyond
/// what a first log call does; some microseconds, and about a millisecond for each new program or
/// library on the stack, and once a minute.
class CallStack {
 public:
  static constexpr std::uint32_t kMost = 32;

  // Inlined: its frame is not on the stack.
  [[gnu::always_inline]] CallStack() noexcept : count_(rs_stack_addresses(addresses_, kMost)) {}

  const void* const* begin() const { return addresses_; }
  const void* const* end() const { return addresses_ + count_; }
  std::size_t size() const { return count_; }

 private:
  const void* addresses_[kMost];
  std::uint32_t count_;
};

}  // namespace ringside

/// Records an event with the stack of the thread: RS_EVENT with a last field `stack`.
///
///     if (elapsed_us > limit_us) RS_STACK(WARNING, "slow", RS_ARG(elapsed_us));
///
/// The stack is only walked while the statement is enabled. `ringcat stacks` prints it with the
/// names of functions.
///
/// @param level_  TRACE, DEBUG, INFO, NOTICE, WARNING, ERROR or CRITICAL
/// @param ...  name, a string literal that is not empty; then arguments with up to 254 fields
/// @par Return value
/// None. A record that cannot be written is counted as lost: see ringside::losses().
/// @par Thread safety
/// As RS_LOG.
#define RS_STACK(level_, ...) \
  RS_EVENT(level_, __VA_ARGS__, RS_NAMED("stack", ::ringside::CallStack()))
