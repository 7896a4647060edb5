// The order in which events come out of a reader.
#pragma once

#include <compare>
#include <cstdint>

namespace ringside::trace {

struct EventKey {
  std::uint64_t unix_ns = 0;
  std::uint64_t stream_id = 0;
  std::uint64_t sequence = 0;

  auto operator<=>(const EventKey&) const = default;
};

}  // namespace ringside::trace
