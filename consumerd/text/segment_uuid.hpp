#pragma once
// The uuid of a segment as text.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace ringside::consumer {

inline std::string segment_uuid_text(const std::array<std::uint8_t, 16>& uuid) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : uuid) {
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 15U];
  }
  return text;
}

inline bool parse_uuid(std::string_view text, std::array<std::uint8_t, 16>* uuid) {
  if (text.size() != 2 * uuid->size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool letter = c >= 'a' && c <= 'f';
    if (!letter && (c < '0' || c > '9')) return false;
    const auto digit = static_cast<std::uint8_t>(letter ? c - 'a' + 10 : c - '0');
    std::uint8_t& byte = (*uuid)[i / 2];
    byte = static_cast<std::uint8_t>(i % 2 == 0 ? digit << 4U : byte | digit);
  }
  return true;
}

}  // namespace ringside::consumer
