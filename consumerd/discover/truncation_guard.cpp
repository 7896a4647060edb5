#include "consumerd/discover/truncation_guard.hpp"

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <unistd.h>
#include <utility>

#include <sys/mman.h>
#include <sys/syscall.h>

namespace ringside::consumer {

// Nodes are reused but never freed, so that the handler can walk the list at any moment. It sees a
// node either whole or empty: `end` is stored last and cleared first.
struct GuardNode {
  std::atomic<std::uintptr_t> begin{0};
  std::atomic<std::uintptr_t> end{0};  // 0: not in use
  std::atomic<std::atomic<bool>*> hit{nullptr};
  GuardNode* next = nullptr;  // in the list of all nodes; never changes
  GuardNode* next_free = nullptr;
};

namespace {

std::atomic<GuardNode*> g_nodes{nullptr};
GuardNode* g_free = nullptr;
std::uintptr_t g_page_bytes = 4096;

GuardNode* take_node() {
  if (g_free != nullptr) return std::exchange(g_free, g_free->next_free);
  auto* const node = new GuardNode;
  node->next = g_nodes.load(std::memory_order_relaxed);
  g_nodes.store(node, std::memory_order_release);
  return node;
}

// Async-signal-safe: lock-free atomics and two system calls.
void on_sigbus(int signal_number, siginfo_t* info, void* /*context*/) {
  static_assert(std::atomic<std::uintptr_t>::is_always_lock_free);
  const int saved_errno = errno;
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  const GuardNode* node =
      info->si_code == BUS_ADRERR ? g_nodes.load(std::memory_order_acquire) : nullptr;
  for (; node != nullptr; node = node->next) {
    // Pairs with the release of a new range: its begin and mark are in place.
    const std::uintptr_t end = node->end.load(std::memory_order_acquire);
    const std::uintptr_t begin = node->begin.load(std::memory_order_relaxed);
    if (address < begin || address >= end) continue;
    const std::uintptr_t page = address & ~(g_page_bytes - 1);
    // The bare system call: a wrapper's locks or a sanitizer's interceptor must not run here.
    const long mapped = syscall(SYS_mmap, page, g_page_bytes, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0L);
    if (mapped == -1) break;
    node->hit.load(std::memory_order_relaxed)->store(true, std::memory_order_release);
    errno = saved_errno;
    return;
  }
  // Outside of the guarded ranges, or no memory: the access is repeated and ends the process.
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  sigaction(signal_number, &action, nullptr);
  errno = saved_errno;
}

}  // namespace

void install_truncation_guard() {
  g_page_bytes = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  struct sigaction action {};
  action.sa_sigaction = on_sigbus;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &action, nullptr);
}

GuardedRange::GuardedRange(const void* begin, std::size_t bytes, std::atomic<bool>* hit)
    : node_(take_node()) {
  const auto first = reinterpret_cast<std::uintptr_t>(begin);
  node_->begin.store(first, std::memory_order_relaxed);
  node_->hit.store(hit, std::memory_order_relaxed);
  node_->end.store(first + bytes, std::memory_order_release);
}

GuardedRange::GuardedRange(GuardedRange&& other) noexcept
    : node_(std::exchange(other.node_, nullptr)) {}

GuardedRange& GuardedRange::operator=(GuardedRange&& other) noexcept {
  std::swap(node_, other.node_);
  return *this;
}

void GuardedRange::release() {
  if (node_ == nullptr) return;
  node_->end.store(0, std::memory_order_release);
  node_->next_free = std::exchange(g_free, node_);
  node_ = nullptr;
}

}  // namespace ringside::consumer
