#pragma once
// Texts that are cut between characters.

#include <cstddef>
#include <string_view>

namespace ringside::tool {

// At most `most` bytes, without a part of a character of UTF-8 at the end.
inline std::string_view first_bytes(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0U) == 0x80) --most;
  return text.substr(0, most);
}

// The most of a text in answers to programs and in reports.
inline constexpr std::size_t kMostTextInJson = 4096;

}  // namespace ringside::tool
