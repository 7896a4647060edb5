#pragma once
// Numbers for narrow columns.

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace ringside::tool {

// "0", "950", "12.3k", "4.56M": at most five characters.
std::string count_text(double number);

// "64 KiB", "1.5 MiB".
std::string bytes_text(double bytes);

// "12 ns", "1.53 us", "20.4 ms", "2.50 s": a short time.
std::string nanoseconds_text(double ns);

// "3.2 s", "4 min", "2 h"; "-" without a value.
std::string seconds_text(std::optional<double> seconds);

// "#####.....|" : `permille` of a bar of `width` characters, with a mark at `mark_permille`.
std::string bar_text(std::uint64_t permille, std::uint64_t mark_permille, std::size_t width);

// The latest numbers, one character each, from low to high; at most `width` of them.
// `unicode`: block elements, otherwise ASCII.
std::string sparkline_text(std::span<const double> numbers, std::size_t width, bool unicode);

}  // namespace ringside::tool
