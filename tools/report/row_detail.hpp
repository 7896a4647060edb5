#pragma once
// How much of a row of a table is in a page that would be too large otherwise.

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace ringside::tool {

enum class RowDetail : std::uint8_t {
  kFull,
  kShort,  // its texts are short, and it has no counts over time
  kNone,   // null: the numbers of the others stay
};

// `rank`: 0 for the most important one. A level halves the number of full rows, and from the tenth
// on that of the short ones.
inline RowDetail row_detail(std::size_t rank, std::size_t rows, unsigned level) {
  constexpr unsigned kShortLevels = 10;
  if (level == 0 || rank < rows >> std::min(level, 63U)) return RowDetail::kFull;
  if (level <= kShortLevels || rank < rows >> std::min(level - kShortLevels, 63U))
    return RowDetail::kShort;
  return RowDetail::kNone;
}

}  // namespace ringside::tool
