// The order in which a reader delivers events.
#pragma once

#include <compare>
#include <cstdint>

namespace ringside::trace {

struct EventKey {
  std::uint64_t unix_ns = 0;
  std::uint64_t stream_id = 0;
  std::uint64_t sequence = 0;

  // clang-tidy 14 mistakes the 0 in a rewritten comparison for a null pointer.
  auto operator<=>(const EventKey&) const = default;  // NOLINT(modernize-use-nullptr)
};

}  // namespace ringside::trace
