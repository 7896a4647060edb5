#pragma once
// Texts of UTF-16 code units, little-endian, as .NET writes them.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace ringside::tool {

// Appends `units` (an even number of bytes) as UTF-8, with U+FFFD for each lone surrogate. False if
// there was one.
bool append_utf8_of_utf16(std::string& out, std::span<const std::byte> units);

// Appends UTF-8 as UTF-16, with U+FFFD for bytes that are not well-formed UTF-8
// (utf8_unsound_bytes). False if there were such bytes.
bool append_utf16_of_utf8(std::string& out, std::string_view text);

// The size of the text before the null character, or npos if there is none.
inline constexpr std::size_t kNoUtf16End = static_cast<std::size_t>(-1);
std::size_t utf16_text_bytes(std::span<const std::byte> bytes);

}  // namespace ringside::tool
