#pragma once
// Hash of texts that identify a statement. Eight bytes at a time, because it is computed on every
// record.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace ringside {

inline std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
  constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15;
  hash = (hash ^ word) * kOdd;
  return hash ^ hash >> 32;  // the low bits, which choose the bucket, depend on all bits
}

inline std::uint64_t mixed_in(std::string_view text, std::uint64_t hash) {
  hash = mixed(hash, text.size());
  while (!text.empty()) {
    std::uint64_t word = 0;
    const std::size_t bytes = text.size() < sizeof word ? text.size() : sizeof word;
    std::memcpy(&word, text.data(), bytes);
    hash = mixed(hash, word);
    text.remove_prefix(bytes);
  }
  return hash;
}

}  // namespace ringside
