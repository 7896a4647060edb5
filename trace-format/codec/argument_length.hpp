// Computes the length of the arguments of a ring record. This is the only place that checks their
// bytes; the others rely on it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trace-format/codec/site_plan.hpp"

namespace ringside::trace {

enum class LengthState : std::uint8_t { kWhole, kIncomplete, kCorrupt };

struct ArgumentLength {
  LengthState state = LengthState::kWhole;
  std::size_t bytes = 0;         // with kWhole
  const char* reason = nullptr;  // with kCorrupt
};

// Length of the arguments that start at `arguments`, where `available` bytes may be read.
ArgumentLength argument_length(const SitePlan& plan, const std::byte* arguments,
                               std::size_t available);

}  // namespace ringside::trace
