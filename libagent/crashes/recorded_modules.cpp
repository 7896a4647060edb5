#include "libagent/crashes/recorded_modules.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <ctime>
#include <unistd.h>

#include <sys/syscall.h>

#include "libagent/crashes/crash_statements.hpp"
#include "libagent/include/ringside/abi.h"
#include "libagent/process/local_word.hpp"
#include "libagent/process/mapped_modules.hpp"
#include "libagent/recording/agent.hpp"
#include "shm-layout/clock_reading.hpp"

namespace ringside {
namespace {

// Trace files with the records may have been removed since then (consumerd --keep-bytes).
constexpr std::uint64_t kRepeatAfterNs = 60'000'000'000;

struct CodeRange {
  std::atomic<std::uint64_t> begin{0};
  std::atomic<std::uint64_t> end{0};
  std::atomic<std::uint64_t> recorded_ns{0};  // CLOCK_MONOTONIC_COARSE
};

constexpr std::size_t kMostKnownRanges = 256;
// Only added, by the thread that holds g_recording_process; readers need the count's acquire.
std::array<CodeRange, kMostKnownRanges> g_known_ranges;
std::atomic<std::size_t> g_known_count{0};
// The segment that has their records: a child of fork, and a segment that replaces another, begin
// anew.
std::atomic<const Segment*> g_known_segment{nullptr};
// The process with a thread that records modules; 0: none. Another one than this process counts as
// none: a child of fork may have a copy of its parent's.
std::atomic<int> g_recording_process{0};
MappedModules g_new_modules;

// Where the thread's ring was when the thread last recorded all modules of a stack; before that, a
// position that is far from those of all rings, and from RS_NO_RING.
constexpr std::uint64_t kNeverRepeated = RS_NO_RING / 2;
constinit thread_local std::uint64_t t_repeated_at = kNeverRepeated;

// Whether the thread's ring has been overwritten, or soon will be, where it had the records. Those
// in rings of other threads may be overwritten at any time.
bool is_repeat_due(const Segment& segment) {
  if (segment.sub_buffer_bytes == 0) return false;
  return load_local(rs_thread_state.pos) - t_repeated_at > segment.layout.ring_bytes / 4;
}

struct StackOfModules {
  const void* const* addresses;
  std::uint32_t count;
  std::uint64_t now_ns;
  bool repeats;  // records all modules, also known ones

  std::uint64_t instruction(std::uint32_t index) const {
    return reinterpret_cast<std::uintptr_t>(addresses[index]) - 1;
  }
  bool is_known(std::uint64_t address) const {
    const std::size_t known = g_known_count.load(std::memory_order_acquire);
    for (std::size_t i = 0; i < known; ++i) {
      const CodeRange& range = g_known_ranges[i];
      if (address >= range.begin.load(std::memory_order_relaxed) &&
          address < range.end.load(std::memory_order_relaxed) &&
          now_ns < range.recorded_ns.load(std::memory_order_relaxed) + kRepeatAfterNs) {
        return true;
      }
    }
    return false;
  }
  bool wants(std::uint64_t address) const { return repeats || !is_known(address); }
  bool wants_any() const {
    for (std::uint32_t i = 0; i < count; ++i) {
      if (wants(instruction(i))) return true;
    }
    return false;
  }
};

// False: no place is left.
bool remember(const MappedModule& module, std::uint64_t now_ns) {
  const std::size_t count = g_known_count.load(std::memory_order_relaxed);
  std::size_t place = 0;
  while (place < count &&
         (g_known_ranges[place].begin.load(std::memory_order_relaxed) != module.begin ||
          g_known_ranges[place].end.load(std::memory_order_relaxed) != module.end)) {
    ++place;
  }
  if (place == kMostKnownRanges) return false;
  CodeRange& range = g_known_ranges[place];
  range.begin.store(module.begin, std::memory_order_relaxed);
  range.end.store(module.end, std::memory_order_relaxed);
  range.recorded_ns.store(now_ns, std::memory_order_relaxed);
  if (place == count) g_known_count.store(count + 1, std::memory_order_release);
  return true;
}

bool record_if_wanted(void* context, MappedModule& module) {
  const auto& stack = *static_cast<const StackOfModules*>(context);
  for (std::uint32_t i = 0; i < stack.count; ++i) {
    const std::uint64_t address = stack.instruction(i);
    if (!module.contains(address) || !stack.wants(address)) continue;
    if (!remember(module, stack.now_ns)) break;
    find_build_id(module);
    record_module(module);
    break;
  }
  return true;
}

bool begin_recording() {
  const auto self = static_cast<int>(syscall(SYS_getpid));
  int holder = g_recording_process.load(std::memory_order_relaxed);
  return holder != self &&
         g_recording_process.compare_exchange_strong(holder, self, std::memory_order_acquire);
}

void end_recording() {
  g_recording_process.store(0, std::memory_order_release);
}

}  // namespace

void record_new_modules(const void* const* addresses, std::uint32_t count) {
  const Segment* const segment = agent().segment.load(std::memory_order_acquire);
  if (segment == nullptr) return;
  StackOfModules stack{addresses, count, shm::read_clock_ns(CLOCK_MONOTONIC_COARSE),
                       is_repeat_due(*segment)};
  const bool is_other = g_known_segment.load(std::memory_order_relaxed) != segment;
  if (!is_other && !stack.wants_any()) return;
  // A child of vfork shares the memory below with threads of its parent.
  if (was_made_around_fork() || !know_module_statement() || !begin_recording()) return;
  if (is_other) g_known_count.store(0, std::memory_order_relaxed);
  g_known_segment.store(segment, std::memory_order_relaxed);
  g_new_modules.visit(record_if_wanted, &stack);
  if (stack.repeats) t_repeated_at = load_local(rs_thread_state.pos);
  end_recording();
}

}  // namespace ringside
