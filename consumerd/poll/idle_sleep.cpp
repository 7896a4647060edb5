#include "consumerd/poll/idle_sleep.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <fcntl.h>
#include <string>
#include <unistd.h>

#include <linux/futex.h>
#include <linux/time_types.h>
#include <sys/syscall.h>

namespace ringside::consumer {
namespace {

// The kernel's limit, less the bell.
constexpr std::size_t kMostSegments = FUTEX_WAITV_MAX - 1;
constexpr std::int64_t kNsPerSecond = 1'000'000'000;

// +1 for each signal that must end a sleep.
std::atomic<std::uint32_t> g_bell{0};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

void ring_bell(int /*signal*/) {
  interrupt_sleep();
}

futex_waitv waiter(const std::atomic<std::uint32_t>& word, std::uint32_t value,
                   std::uint32_t flags) {
  futex_waitv one{};
  one.val = value;
  one.uaddr = reinterpret_cast<std::uintptr_t>(&word);
  one.flags = FUTEX_32 | flags;
  return one;
}

// By the kernel's own clock, whatever the C library's functions return: an interposed clock could
// make a sleep last for ever.
__kernel_timespec deadline_after(std::chrono::nanoseconds time) {
  timespec now{};
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
  const std::int64_t ns = now.tv_nsec + time.count();
  return {now.tv_sec + ns / kNsPerSecond, ns % kNsPerSecond};
}

bool all_can_sleep(const IdleSleep::Sessions& sessions) {
  return std::all_of(sessions.begin(), sessions.end(),
                     [](const auto& session) { return session->can_sleep(); });
}

bool none_has_work(const IdleSleep::Sessions& sessions) {
  return std::none_of(sessions.begin(), sessions.end(),
                      [](const auto& session) { return session->has_work(); });
}

}  // namespace

void interrupt_sleep() {
  g_bell.fetch_add(1, std::memory_order_relaxed);
}

void IdleSleep::watch(int fd) {
  struct sigaction action {};
  action.sa_handler = ring_bell;
  action.sa_flags = static_cast<int>(SA_RESTART);
  const f_owner_ex owner{F_OWNER_TID, gettid()};
  const bool done = sigaction(SIGIO, &action, nullptr) == 0 &&
                    fcntl(fd, F_SETOWN_EX, &owner) == 0 &&
                    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_ASYNC) == 0;
  if (!done) log_.detail("new segments do not end a sleep: " + error_text(errno));
}

void IdleSleep::begin_reading() {
  input_read_ = g_bell.load(std::memory_order_relaxed);
}

IdleSleep::Result IdleSleep::sleep(const Sessions& sessions, std::chrono::nanoseconds at_most) {
  if (refused_ || sessions.size() > kMostSegments || !all_can_sleep(sessions)) return Result::kNone;
  std::vector<std::uint32_t> calls;
  calls.reserve(sessions.size());
  for (const auto& session : sessions) calls.push_back(session->sleep().begin());
  // Pairs with the fence of a thread that has published records: either that thread sees that this
  // process sleeps, or the check below sees the records.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  const bool waits =
      g_bell.load(std::memory_order_relaxed) == input_read_ && none_has_work(sessions);
  const Result result = waits ? wait(sessions, calls, at_most) : Result::kNone;
  for (const auto& session : sessions) session->sleep().end();
  return result;
}

IdleSleep::Result IdleSleep::wait(const Sessions& sessions, const std::vector<std::uint32_t>& calls,
                                  std::chrono::nanoseconds at_most) {
  std::array<futex_waitv, FUTEX_WAITV_MAX> waiters;
  std::size_t count = 0;
  waiters[count++] = waiter(g_bell, input_read_, FUTEX_PRIVATE_FLAG);
  for (const auto& session : sessions) {
    waiters[count] = waiter(session->sleep().word(), calls[count - 1], 0);
    ++count;
  }
  const __kernel_timespec deadline = deadline_after(at_most);
  const long woken = syscall(SYS_futex_waitv, waiters.data(), static_cast<unsigned>(count), 0U,
                             &deadline, CLOCK_MONOTONIC);
  if (woken >= 0) return woken == 0 ? Result::kOver : Result::kWoken;
  if (errno == ENOSYS || errno == EPERM) {
    refused_ = true;
    log_.notice(
        "cannot sleep until a service records something (futex_waitv: " + error_text(errno) +
        "); checking every millisecond instead; use Linux 5.16 or later, and a container "
        "whose seccomp profile permits futex_waitv");
    return Result::kNone;
  }
  // EAGAIN: a word has changed since it was read.
  if (errno == EAGAIN && g_bell.load(std::memory_order_relaxed) == input_read_) {
    return Result::kWoken;
  }
  return errno == EINTR || errno == ETIMEDOUT ? Result::kOver : Result::kNone;
}

}  // namespace ringside::consumer
