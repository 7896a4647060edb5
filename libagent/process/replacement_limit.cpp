#include "libagent/process/replacement_limit.hpp"

#include <array>

namespace ringside {
namespace {

constexpr std::uint64_t kHourNs = 3'600'000'000'000;

// For each of the latest replacements: an hour after it. The oldest is at `g_replacements` modulo
// their number.
std::array<std::uint64_t, kReplacementsPerHour> g_hour_over_ns{};
std::uint64_t g_replacements = 0;

}  // namespace

std::uint64_t next_replacement_ns() {
  return g_hour_over_ns[g_replacements % kReplacementsPerHour];
}

void count_replacement(std::uint64_t now_ns) {
  g_hour_over_ns[g_replacements++ % kReplacementsPerHour] = now_ns + kHourNs;
}

void forget_replacements() {
  g_hour_over_ns = {};
}

}  // namespace ringside
