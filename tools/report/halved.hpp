#pragma once
// Bounds of what a section has, by the level of SectionFitting.

#include <cstddef>

namespace ringside::tool {

// `most` >> `level`, but at least `least`.
inline std::size_t halved(std::size_t most, unsigned level, std::size_t least = 0) {
  const std::size_t left = level < 32 ? most >> level : 0;
  return left < least ? least : left;
}

}  // namespace ringside::tool
