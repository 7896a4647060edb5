#pragma once
// Executions of statements that were not recorded, by site id: those of a statement whose switch is
// kSwitchCounting, and those that a statement suppressed by itself. One page holds the entries of
// kExecutionPageSites statements. Each page exists kExecutionStripes times, so that threads which
// execute the same statement add to different cache lines; the count of a statement is the sum.
//
//   page 0, stripe 0 | page 0, stripe 1 | ... | page 0, stripe 7 | page 1, stripe 0 | ...
//   sites 0 to 255     the same sites                              sites 256 to 511

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "segment_header.hpp"

namespace ringside::shm {

// Relaxed additions by any thread of the service; they never fall.
struct SiteExecutions {
  std::atomic<std::uint64_t> counted;     // while the switch was kSwitchCounting
  std::atomic<std::uint64_t> suppressed;  // by the statement's own condition or rate
};

inline constexpr std::uint32_t kExecutionStripes = 8;
inline constexpr std::uint32_t kExecutionPageSites = kPageBytes / sizeof(SiteExecutions);
// Of all stripes of a page: the step in which the region is backed.
inline constexpr std::uint64_t kExecutionPageBytes = kExecutionStripes * kPageBytes;

// The bytes of the entries of sites [0, sites), in whole pages.
constexpr std::uint64_t execution_bytes(std::uint32_t sites) {
  return (std::uint64_t{sites} + kExecutionPageSites - 1) / kExecutionPageSites *
         kExecutionPageBytes;
}

// The offset of an entry in the region.
constexpr std::uint64_t execution_offset(std::uint32_t site_id, std::uint32_t stripe) {
  return site_id / kExecutionPageSites * kExecutionPageBytes + std::uint64_t{stripe} * kPageBytes +
         site_id % kExecutionPageSites * sizeof(SiteExecutions);
}

static_assert(offsetof(SiteExecutions, counted) == 0);
static_assert(offsetof(SiteExecutions, suppressed) == 8);
static_assert(sizeof(SiteExecutions) == 16);
static_assert(kExecutionPageSites == 256);
static_assert(execution_bytes(1) == 32768 && execution_bytes(257) == 65536);
static_assert(execution_offset(255, 7) == 32752 && execution_offset(256, 1) == 36864);

}  // namespace ringside::shm
