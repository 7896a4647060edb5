#pragma once
// What log calls took in the services of a trace, by their CALL_COSTS blocks.

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "trace-format/blocks/call_costs_block.hpp"

namespace ringside::trace {

// Of one segment, since its service began.
struct MeasuredCalls {
  std::string service;
  std::uint32_t pid = 0;
  std::uint64_t tick_hz = 0;
  std::uint64_t until_ns = 0;  // Unix time of `newest`
  CallCostsBlock newest;       // of those added
};

class ServiceCallCosts {
 public:
  using Uuid = std::array<std::uint8_t, 16>;

  // Blocks may come in any order, and more than once.
  void add(const Uuid& uuid, const MeasuredCalls& calls);

  // By segment. A section of an unknown segment is not counted.
  const std::map<Uuid, MeasuredCalls>& segments() const { return segments_; }

 private:
  std::map<Uuid, MeasuredCalls> segments_;
};

}  // namespace ringside::trace
