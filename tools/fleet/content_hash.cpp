#include "tools/fleet/content_hash.hpp"

#include <fmt/format.h>
#include <openssl/sha.h>

namespace ringside::fleet {

ContentHash content_hash(std::span<const std::byte> contents) {
  ContentHash hash;
  SHA256(reinterpret_cast<const unsigned char*>(contents.data()), contents.size(), hash.data());
  return hash;
}

std::string hash_key(const ContentHash& hash) {
  std::string key;
  for (const std::uint8_t byte : hash) key += fmt::format("{:02x}", byte);
  return key;
}

std::string body_key(const ContentHash& hash) {
  return std::string(kBodyKeyPrefix) + hash_key(hash);
}

}  // namespace ringside::fleet
