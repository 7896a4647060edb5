// The order in which events come out of a reader.
#pragma once

#include <compare>
#include <cstdint>

namespace ringside::trace {

struct EventKey {
  std::uint64_t unix_ns = 0;
  std::uint64_t stream_id = 0;
  std::uint64_t sequence = 0;

  // clang-tidy 14 takes the 0 that a comparison is rewritten to for a null pointer.
  auto operator<=>(const EventKey&) const = default;  // NOLINT(modernize-use-nullptr)
};

}  // namespace ringside::trace
