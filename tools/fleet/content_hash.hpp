#pragma once
// The names of contents: SHA-256 (FIPS 180-4).

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace ringside::fleet {

using ContentHash = std::array<std::uint8_t, 32>;

ContentHash content_hash(std::span<const std::byte> contents);
// Keys of a queue's contents. Of dictionaries: 64 hexadecimal digits. Of bodies of messages: the
// same after kBodyKeyPrefix.
std::string hash_key(const ContentHash& hash);
std::string body_key(const ContentHash& hash);

inline constexpr std::string_view kBodyKeyPrefix = "body.";

}  // namespace ringside::fleet
