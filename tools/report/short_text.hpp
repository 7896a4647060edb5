#pragma once
// Texts of bounded length.

#include <cstddef>
#include <string_view>

namespace ringside::tool {

// At most so many bytes; not within a character of UTF-8.
inline std::string_view first_bytes(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0U) == 0x80) --most;
  return text.substr(0, most);
}

// `most` >> `level`, but at least `least`.
inline std::size_t halved(std::size_t most, unsigned level, std::size_t least = 0) {
  const std::size_t left = level < 32 ? most >> level : 0;
  return left < least ? least : left;
}

}  // namespace ringside::tool
