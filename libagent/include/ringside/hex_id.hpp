#pragma once
// Ids as hexadecimal digits, as headers of requests have them.

#include "required_platform.h"
// Before all others.
#include <cstddef>
#include <cstdint>

namespace ringside::detail {

// 0 to 15, or -1. W3C permits lower case only, B3 both.
constexpr int hex_value(char c, bool upper_too) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (upper_too && c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Reads 2 * `bytes` digits. False if there is another character.
constexpr bool read_hex(const char* digits, std::uint8_t* out, std::size_t bytes,
                        bool upper_too = false) noexcept {
  for (std::size_t i = 0; i < bytes; ++i) {
    const int high = hex_value(digits[2 * i], upper_too);
    const int low = hex_value(digits[2 * i + 1], upper_too);
    if (high < 0 || low < 0) return false;
    out[i] = static_cast<std::uint8_t>(high * 16 + low);
  }
  return true;
}

// Returns the end of the digits.
constexpr char* write_hex(const std::uint8_t* bytes, std::size_t count, char* out) noexcept {
  constexpr char kDigits[] = "0123456789abcdef";
  for (std::size_t i = 0; i < count; ++i) {
    *out++ = kDigits[bytes[i] >> 4];
    *out++ = kDigits[bytes[i] & 15];
  }
  return out;
}

template <class Id>
constexpr bool is_zero(const Id& id) noexcept {
  for (const std::uint8_t byte : id) {
    if (byte != 0) return false;
  }
  return true;
}

}  // namespace ringside::detail
