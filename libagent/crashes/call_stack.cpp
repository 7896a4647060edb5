// The stack of a thread that runs normally, for <ringside/stack.hpp> and statements with stacks.

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <unwind.h>

#include "libagent/crashes/recorded_modules.hpp"
#include "libagent/include/ringside/stack_abi.h"
#include "libagent/recording/caller_addresses.hpp"

namespace ringside {
namespace {

struct CallerWalk {
  std::uintptr_t caller_frame;
  const void** addresses;
  std::uint32_t most;
  std::uint32_t count;
  bool is_above;  // from here on all are: a handler may have a stack of its own
};

_Unwind_Reason_Code take_caller(_Unwind_Context* context, void* argument) {
  auto& walk = *static_cast<CallerWalk*>(argument);
  // The stack pointer of this frame: all frames so far are below it.
  if (_Unwind_GetCFA(context) > walk.caller_frame) walk.is_above = true;
  // The frames below are all stored at the first place, and the last of them is the caller's, which
  // remains. A walk for one address must not end at an earlier one, within the library.
  if (!walk.is_above) walk.count = 0;
  if (walk.count == walk.most) return _URC_END_OF_STACK;
  int is_interrupted = 0;
  const std::uintptr_t pc = _Unwind_GetIPInfo(context, &is_interrupted);
  if (pc == 0) return _URC_END_OF_STACK;
  // As in StackAddresses: one less is always within the instruction.
  const std::uintptr_t address = is_interrupted != 0 ? pc + 1 : pc;
  walk.addresses[walk.count++] = reinterpret_cast<const void*>(address);
  return walk.is_above && walk.count == walk.most ? _URC_END_OF_STACK : _URC_NO_REASON;
}

}  // namespace

std::uint32_t addresses_above(std::uintptr_t caller_frame, const void** addresses,
                              std::uint32_t most) {
  if (most == 0) return 0;
  const int error = errno;
  CallerWalk walk{caller_frame, addresses, most, 0, false};
  _Unwind_Backtrace(take_caller, &walk);
  record_new_modules(addresses, walk.count);
  errno = error;
  return walk.count;
}

}  // namespace ringside

[[gnu::noinline]] std::uint32_t rs_stack_addresses(const void** addresses, std::uint32_t most) {
  return ringside::addresses_above(reinterpret_cast<std::uintptr_t>(__builtin_dwarf_cfa()),
                                   addresses, most);
}
