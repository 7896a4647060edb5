#include "libagent/crashes/recorded_modules.hpp"

#include <array>
#include <atomic>
#include <cstddef>

#include "libagent/crashes/crash_statements.hpp"
#include "libagent/process/mapped_modules.hpp"
#include "libagent/recording/agent.hpp"

namespace ringside {
namespace {

struct CodeRange {
  std::atomic<std::uint64_t> begin{0};
  std::atomic<std::uint64_t> end{0};
};

constexpr std::size_t kMostKnownRanges = 256;
// Only added, by the thread that holds g_is_recording_modules; readers need the count's acquire.
std::array<CodeRange, kMostKnownRanges> g_known_ranges;
std::atomic<std::size_t> g_known_count{0};
// The segment that has their records: a child of fork, and a segment that replaces another, begin
// anew.
std::atomic<const Segment*> g_known_segment{nullptr};
std::atomic<bool> g_is_recording_modules{false};
MappedModules g_new_modules;

bool is_known(std::uint64_t address) {
  const std::size_t count = g_known_count.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < count; ++i) {
    const CodeRange& range = g_known_ranges[i];
    if (address >= range.begin.load(std::memory_order_relaxed) &&
        address < range.end.load(std::memory_order_relaxed)) {
      return true;
    }
  }
  return false;
}

struct NewAddresses {
  const void* const* addresses;
  std::uint32_t count;

  std::uint64_t instruction(std::uint32_t index) const {
    return reinterpret_cast<std::uintptr_t>(addresses[index]) - 1;
  }
  bool has_one() const {
    for (std::uint32_t i = 0; i < count; ++i) {
      if (!is_known(instruction(i))) return true;
    }
    return false;
  }
};

bool record_if_new(void* context, MappedModule& module) {
  const auto& stack = *static_cast<const NewAddresses*>(context);
  for (std::uint32_t i = 0; i < stack.count; ++i) {
    const std::uint64_t address = stack.instruction(i);
    if (!module.contains(address) || is_known(address)) continue;
    const std::size_t place = g_known_count.load(std::memory_order_relaxed);
    if (place == kMostKnownRanges) return false;
    g_known_ranges[place].begin.store(module.begin, std::memory_order_relaxed);
    g_known_ranges[place].end.store(module.end, std::memory_order_relaxed);
    g_known_count.store(place + 1, std::memory_order_release);
    find_build_id(module);
    record_module(module);
    break;
  }
  return true;
}

}  // namespace

void record_new_modules(const void* const* addresses, std::uint32_t count) {
  NewAddresses stack{addresses, count};
  const Segment* const segment = agent().segment.load(std::memory_order_acquire);
  const bool is_other = g_known_segment.load(std::memory_order_relaxed) != segment;
  if (segment == nullptr || (!is_other && !stack.has_one())) return;
  if (!know_module_statement()) return;
  if (g_is_recording_modules.exchange(true, std::memory_order_acquire)) return;
  if (is_other) g_known_count.store(0, std::memory_order_relaxed);
  g_known_segment.store(segment, std::memory_order_relaxed);
  g_new_modules.visit(record_if_new, &stack);
  g_is_recording_modules.store(false, std::memory_order_release);
}

}  // namespace ringside
