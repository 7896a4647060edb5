#include "libagent/recording/truncation_guard.hpp"

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <pthread.h>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/syscall.h>

#include "libagent/include/ringside/ringside.h"
#include "libagent/recording/agent.hpp"
#include "libagent/recording/ring_attachment.hpp"
#include "libagent/recording/segment_growth.hpp"
#include "shm-layout/site_switch.hpp"

namespace ringside {
namespace {

constexpr mode_t kOthersMayWrite = 0022;

std::atomic<bool> g_is_installed{false};
// The handler before ours. Written once, before ours is installed.
struct sigaction g_former {};
std::atomic<bool> g_former_is_spent{false};  // it was to be called once (SA_RESETHAND)
std::atomic<Segment*> g_new{nullptr};

// The bare system calls: the wrappers of a sanitizer must not run in the handler.
void* map(void* place, std::size_t bytes, int flags) {
  const long mapped = syscall(SYS_mmap, place, bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0L);
  return mapped == -1 ? nullptr : reinterpret_cast<void*>(mapped);
}

// Prepared elsewhere: no thread may see a switch that is off.
bool replace_head(Segment& segment) {
  auto* const copy = static_cast<std::byte*>(map(nullptr, segment.head_bytes, 0));
  if (copy == nullptr) return false;
  const shm::SegmentLayout& layout = segment.layout;
  std::memset(copy + layout.switches_offset, shm::kSwitchUnregistered, layout.site_capacity);
  auto* const control = reinterpret_cast<shm::ControlPage*>(copy + layout.control_offset);
  control->service.level.store(agent().level.load(std::memory_order_relaxed),
                               std::memory_order_relaxed);
  segment.has_lost_head.store(true, std::memory_order_relaxed);
  // Release: a thread that sees it with acquire sees the reason too.
  segment.is_truncated.store(true, std::memory_order_release);
  if (syscall(SYS_mremap, copy, segment.head_bytes, segment.head_bytes,
              MREMAP_MAYMOVE | MREMAP_FIXED, segment.head) == -1) {
    return false;  // the process ends
  }
  publish_nowhere(segment);
  return true;
}

bool replace_ring(Segment& segment, std::uint32_t index, std::byte* base) {
  segment.ring_losses[index].store(Segment::RingLoss::uncounted, std::memory_order_relaxed);
  segment.is_truncated.store(true, std::memory_order_release);
  if (map(base, kRingCopies * segment.layout.ring_bytes, MAP_FIXED) == nullptr) return false;
  publish_nowhere(segment);
  return true;
}

bool lies_in(std::uintptr_t address, const std::byte* begin, std::uint64_t bytes) {
  return begin != nullptr && address - reinterpret_cast<std::uintptr_t>(begin) < bytes;
}

bool replace_in(Segment& segment, std::uintptr_t address) {
  if (segment.is_given_back.load(std::memory_order_relaxed)) return false;
  if (lies_in(address, segment.head, segment.head_bytes)) return replace_head(segment);
  for (std::uint32_t i = 0; i < segment.layout.ring_count; ++i) {
    std::byte* const base = segment.ring_base[i].load(std::memory_order_relaxed);
    if (lies_in(address, base, kRingCopies * segment.layout.ring_bytes)) {
      return replace_ring(segment, i, base);
    }
  }
  return false;
}

// Async-signal-safe. Whether the fault was in a segment, and the access can be repeated.
bool replace_missing(const siginfo_t& info) {
  if (info.si_code != BUS_ADRERR || !is_truncation_guard_installed()) return false;
  const int error = errno;
  const auto address = reinterpret_cast<std::uintptr_t>(info.si_addr);
  Segment* const created = g_new.load(std::memory_order_acquire);
  bool done = created != nullptr && replace_in(*created, address);
  for (Segment* each = agent().segment.load(std::memory_order_acquire); !done && each != nullptr;
       each = each->replaced) {
    done = replace_in(*each, address);
  }
  errno = error;
  return done;
}

// What the kernel would have done without our handler. A fault recurs when the handler returns; a
// signal that was sent must be sent again.
void take_default_action(int number, bool is_fault) {
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  sigaction(number, &action, nullptr);
  if (!is_fault) syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), number);
}

void pass_on(int number, siginfo_t* info, void* context) {
  const bool is_fault = info->si_code > 0 && info->si_code != BUS_MCEERR_AO;
  const bool is_spent = (g_former.sa_flags & static_cast<int>(SA_RESETHAND)) != 0 &&
                        g_former_is_spent.exchange(true, std::memory_order_relaxed);
  if (is_spent || g_former.sa_handler == SIG_DFL) return take_default_action(number, is_fault);
  if (g_former.sa_handler == SIG_IGN) {
    if (is_fault) take_default_action(number, is_fault);  // a fault cannot be ignored
    return;
  }
  if ((g_former.sa_flags & SA_SIGINFO) != 0) return g_former.sa_sigaction(number, info, context);
  g_former.sa_handler(number);
}

void on_sigbus(int number, siginfo_t* info, void* context) {
  const int error = errno;
  if (!replace_missing(*info)) pass_on(number, info, context);
  errno = error;
}

bool is_ours(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == on_sigbus;
}

// A library that contains this one may be unloaded, and its code with it. Unless another handler
// has been installed since, which has taken the place.
__attribute__((destructor(101))) void uninstall() {
  struct sigaction present {};
  if (!g_is_installed.load(std::memory_order_relaxed) ||
      sigaction(SIGBUS, nullptr, &present) != 0 || !is_ours(present)) {
    return;
  }
  sigaction(SIGBUS, &g_former, nullptr);
}

}  // namespace

bool wants_truncation_guard(const Options& options) {
  if (options.truncation_guard != TruncationGuard::when_shared) {
    return options.truncation_guard == TruncationGuard::on;
  }
  return (options.mode & kOthersMayWrite) != 0;
}

void install_truncation_guard() {
  if (is_truncation_guard_installed()) return;
  if (sigaction(SIGBUS, nullptr, &g_former) != 0) return;
  struct sigaction action {};
  action.sa_sigaction = on_sigbus;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  if (g_former.sa_handler != SIG_DFL && g_former.sa_handler != SIG_IGN) {
    // As it asked to be called.
    action.sa_mask = g_former.sa_mask;
    action.sa_flags =
        SA_SIGINFO | (g_former.sa_flags & (SA_ONSTACK | SA_RESTART | static_cast<int>(SA_NODEFER)));
  }
  g_is_installed.store(sigaction(SIGBUS, &action, nullptr) == 0, std::memory_order_release);
  // The lock was taken with all signals blocked, because there was no handler.
  unblock_sigbus();
}

bool is_truncation_guard_installed() {
  return g_is_installed.load(std::memory_order_acquire);
}

void guard_new(Segment& segment) {
  g_new.store(&segment, std::memory_order_release);
}

void forget_guarded(const Segment& segment) {
  if (g_new.load(std::memory_order_relaxed) == &segment) forget_guarded();
}

void forget_guarded() {
  g_new.store(nullptr, std::memory_order_relaxed);
}

void unblock_sigbus() {
  if (!is_truncation_guard_installed()) return;
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, SIGBUS);
  pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
}

SigbusUnblocked::SigbusUnblocked() : is_changed_(is_truncation_guard_installed()) {
  if (!is_changed_) return;
  pthread_sigmask(SIG_SETMASK, nullptr, &saved_);
  unblock_sigbus();
}

SigbusUnblocked::~SigbusUnblocked() {
  if (is_changed_) pthread_sigmask(SIG_SETMASK, &saved_, nullptr);
}

bool handle_sigbus(const void* info) noexcept {
  return rs_handle_sigbus(info) != 0;
}

}  // namespace ringside

int rs_handle_sigbus(const void* info) {
  return info != nullptr && ringside::replace_missing(*static_cast<const siginfo_t*>(info)) ? 1 : 0;
}
