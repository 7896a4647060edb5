#pragma once
// Finds the characters of a text that may contain any bytes.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ringside::trace {

// Takes the place of what is not a character.
inline constexpr std::uint32_t kReplacementCharacter = 0xFFFD;

// Length of the well-formed UTF-8 sequence (Unicode, table 3-7) at the beginning of `text`; 0 if
// there is none.
constexpr std::size_t utf8_sequence_bytes(std::string_view text) {
  const auto at = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (text.empty()) return 0;
  const unsigned first = at(0);
  if (first < 0x80) return 1;
  if (first < 0xC2 || first > 0xF4) return 0;
  const std::size_t bytes = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (text.size() < bytes) return 0;
  // Overlong forms, surrogates and code points above U+10FFFF are detected by the second byte.
  const unsigned lowest = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  const unsigned highest = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  if (at(1) < lowest || at(1) > highest) return 0;
  for (std::size_t i = 2; i < bytes; ++i) {
    if ((at(i) & 0xC0U) != 0x80) return 0;
  }
  return bytes;
}

// Number of bytes that one U+FFFD replaces (Unicode, 3.9, "substitution of maximal subparts", as in
// most decoders) if `text` does not begin with a well-formed sequence: the beginning of a sequence,
// or else one byte.
constexpr std::size_t utf8_unsound_bytes(std::string_view text) {
  const auto at = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = at(0);
  if (text.size() < 2 || first < 0xE0 || first > 0xF4) return 1;
  const unsigned lowest = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  const unsigned highest = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  if (at(1) < lowest || at(1) > highest) return 1;
  return first >= 0xF0 && text.size() > 2 && (at(2) & 0xC0U) == 0x80 ? 3 : 2;
}

// C0 and C1 control characters and DEL; `sequence` is well-formed.
constexpr bool is_control_character(std::string_view sequence) {
  const auto first = static_cast<unsigned char>(sequence[0]);
  if (sequence.size() == 1) return first < 0x20 || first == 0x7F;
  return first == 0xC2 && static_cast<unsigned char>(sequence[1]) < 0xA0;
}

}  // namespace ringside::trace
