#include "libagent/process/signal_frame.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <pthread.h>
#include <unistd.h>

#include <sys/syscall.h>

// ThreadSanitizer calls handlers later, from its own function: there is no frame to find.
extern "C" __attribute__((weak)) void __tsan_init();  // NOLINT(bugprone-reserved-identifier)

namespace ringside {
namespace {

constexpr std::size_t kPageBytes = 4096;
constexpr std::size_t kMostStackBytes = std::size_t{8} << 20;

enum class Readable { yes, no, unknown };

// By a call of sigprocmask with an invalid operation, which changes nothing: the kernel reads the
// set first.
Readable readable(std::uintptr_t address) {
  constexpr int kNoWay = -1;
  const int saved_errno = errno;
  const long result = syscall(SYS_rt_sigprocmask, kNoWay, address, nullptr, sizeof(std::uint64_t));
  const int error = errno;
  errno = saved_errno;
  if (result != -1) return Readable::unknown;
  return error == EINVAL ? Readable::yes : error == EFAULT ? Readable::no : Readable::unknown;
}

#if defined(__x86_64__)
// Of the interrupted registers: stack pointer, instruction pointer, flags, segments; then the
// fault's error, number, mask and address; then where the floating-point registers are: after this
// frame, on the same stack.
constexpr std::size_t kPatternWords = 9;
constexpr std::uint64_t kMostFrameBytes = 64 << 10;

__attribute__((always_inline)) inline bool is_signal_frame(const std::uint64_t* words) {
  constexpr std::uint64_t kUserCode = 0x33;
  constexpr std::uint64_t kUserStack = 0x2b;
  constexpr std::uint64_t kUserBegin = 0x10000;  // the kernel maps nothing below it
  constexpr std::uint64_t kUserEnd = std::uint64_t{1} << 47;
  constexpr std::uint64_t kAlwaysSet = 2;
  constexpr std::uint64_t kAllFlags = 0x3FFFFF;
  const std::uint64_t segments = words[3];
  if (segments != kUserCode && segments != (kUserStack << 48 | kUserCode)) return false;
  const bool are_flags = (words[2] & ~kAllFlags) == 0 && (words[2] & kAlwaysSet) != 0;
  const auto is_address = [](std::uint64_t word) {
    return word - kUserBegin < kUserEnd - kUserBegin;
  };
  const std::uint64_t distance = words[8] - reinterpret_cast<std::uintptr_t>(words);
  return are_flags && is_address(words[0]) && is_address(words[1]) && distance < kMostFrameBytes;
}
#else
constexpr std::size_t kPatternWords = 1;

// The kernel's record of the floating-point registers: its magic number and size.
__attribute__((always_inline)) inline bool is_signal_frame(const std::uint64_t* words) {
  return words[0] == (std::uint64_t{528} << 32 | 0x46508001U);
}
#endif

}  // namespace

bool can_see_signal_frames() {
  return __tsan_init == nullptr;
}

// It reads memory that AddressSanitizer guards: frames of other functions.
__attribute__((noinline, no_sanitize("address", "undefined"))) bool runs_in_signal_handler() {
  if (__tsan_init != nullptr) return true;
  auto at = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  at = (at + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t) * sizeof(std::uint64_t);
  const std::uintptr_t last = at + kMostStackBytes;
  // For all threads except the first, the C library's record of the thread is at the stack's end,
  // and other readable memory may follow.
  const auto record = static_cast<std::uintptr_t>(pthread_self());
  const std::uintptr_t stack_end = record > at && record < last ? record : last;
  std::uintptr_t readable_end = (at / kPageBytes + 1) * kPageBytes;
  for (; at < stack_end; at += sizeof(std::uint64_t)) {
    while (at + kPatternWords * sizeof(std::uint64_t) > readable_end) {
      const Readable page = readable(readable_end);
      if (page != Readable::yes) return page == Readable::unknown;
      readable_end += kPageBytes;
    }
    if (is_signal_frame(reinterpret_cast<const std::uint64_t*>(at))) return true;
  }
  return stack_end == last;
}

}  // namespace ringside
