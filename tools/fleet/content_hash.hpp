#pragma once
// The names of contents: SHA-256 (FIPS 180-4).

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace ringside::fleet {

using ContentHash = std::array<std::uint8_t, 32>;

ContentHash content_hash(std::span<const std::byte> contents);
// 64 hexadecimal digits.
std::string hash_key(const ContentHash& hash);

}  // namespace ringside::fleet
