#include "tools/fleet/nkey_seed.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <memory>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>

namespace ringside::fleet {
namespace {

constexpr std::string_view kBase32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
constexpr std::size_t kKeyBytes = 32;
constexpr std::size_t kSeedBytes = 2 + kKeyBytes + 2;  // prefixes, key, CRC
constexpr std::uint8_t kSeedPrefix = 18 << 3;          // 'S'
constexpr std::uint8_t kUserPrefix = 20 << 3;          // 'U'

std::vector<std::uint8_t> decoded_base32(std::string_view text) {
  std::vector<std::uint8_t> bytes;
  std::uint32_t bits = 0;
  int held = 0;
  for (const char character : text) {
    const std::size_t value = kBase32.find(character);
    if (value == std::string_view::npos) return {};
    bits = (bits << 5) | static_cast<std::uint32_t>(value);
    held += 5;
    if (held < 8) continue;
    held -= 8;
    bytes.push_back(static_cast<std::uint8_t>(bits >> held));
  }
  return bytes;
}

std::string encoded_base32(const std::vector<std::uint8_t>& bytes) {
  std::string text;
  std::uint32_t bits = 0;
  int held = 0;
  for (const std::uint8_t byte : bytes) {
    bits = (bits << 8) | byte;
    held += 8;
    while (held >= 5) {
      held -= 5;
      text += kBase32[(bits >> held) & 31];
    }
  }
  if (held > 0) text += kBase32[(bits << (5 - held)) & 31];
  return text;
}

// CRC-16/XMODEM.
std::uint16_t crc16(const std::uint8_t* bytes, std::size_t size) {
  unsigned crc = 0;
  for (std::size_t i = 0; i < size; ++i) {
    crc ^= static_cast<unsigned>(bytes[i]) << 8;
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc & 0x8000U) != 0 ? (crc << 1) ^ 0x1021U : crc << 1;
    }
    crc &= 0xFFFFU;
  }
  return static_cast<std::uint16_t>(crc);
}

bool is_user_seed(const std::vector<std::uint8_t>& bytes) {
  if (bytes.size() != kSeedBytes) return false;
  const auto prefix = static_cast<std::uint8_t>(bytes[0] & 0xF8U);
  const auto kind = static_cast<std::uint8_t>(((bytes[0] & 7U) << 5) | (bytes[1] >> 3));
  const unsigned crc = bytes[kSeedBytes - 2] | static_cast<unsigned>(bytes[kSeedBytes - 1]) << 8;
  return prefix == kSeedPrefix && kind == kUserPrefix && crc == crc16(bytes.data(), kSeedBytes - 2);
}

std::string public_key(const std::uint8_t* seed) {
  struct KeyDestroyer {
    void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  };
  const std::unique_ptr<EVP_PKEY, KeyDestroyer> key(
      EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, seed, kKeyBytes));
  std::array<std::uint8_t, kKeyBytes> raw{};
  std::size_t size = raw.size();
  if (key == nullptr || EVP_PKEY_get_raw_public_key(key.get(), raw.data(), &size) != 1) return {};
  std::vector<std::uint8_t> bytes{kUserPrefix};
  bytes.insert(bytes.end(), raw.begin(), raw.end());
  const std::uint16_t crc = crc16(bytes.data(), bytes.size());
  bytes.push_back(static_cast<std::uint8_t>(crc & 0xFFU));
  bytes.push_back(static_cast<std::uint8_t>(crc >> 8));
  return encoded_base32(bytes);
}

}  // namespace

std::string nkey_of_seed_file(const std::string& path, std::string* why) {
  std::ifstream file(path);
  std::string word;
  // The seed can be between lines of text, as in a credentials file.
  while (file >> word) {
    std::vector<std::uint8_t> seed = decoded_base32(word);
    std::string key = is_user_seed(seed) ? public_key(seed.data() + 2) : std::string();
    OPENSSL_cleanse(word.data(), word.size());
    OPENSSL_cleanse(seed.data(), seed.size());
    if (!key.empty()) return key;
  }
  *why = fmt::format(
      "no user seed in the nkey seed file '{}'; write the line that begins with SU there, as "
      "'nk -gen user' prints it",
      path);
  return {};
}

}  // namespace ringside::fleet
