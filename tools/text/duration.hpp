#pragma once
// Durations as users write them: "500ms", "1.5s", "10m", "2h".

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ringside::tool {

// Nanoseconds of a number with one of the units ns, us, ms, s, m, h, d; up to nine decimal places.
// Empty if `text` is not a duration, is negative, or is over 292 years.
std::optional<std::uint64_t> parse_duration_ns(std::string_view text);

// For people: "812 ns", "1.2 ms", "3.4 s". Not smaller than the duration.
std::string bound_text(std::uint64_t ns);

}  // namespace ringside::tool
