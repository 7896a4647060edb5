// Unaligned little-endian loads and stores.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace ringside::trace {

static_assert(std::endian::native == std::endian::little,
              "ring records and trace files are little-endian; this host would have to swap");

template <class T>
T load(const std::byte* p) {
  T value;
  std::memcpy(&value, p, sizeof value);
  return value;
}

template <class T>
void store(std::byte* p, T value) {
  std::memcpy(p, &value, sizeof value);
}

// The low `bytes` (0 to 8) bytes of an integer, zero-extended.
inline std::uint64_t load_bytes(const std::byte* p, std::size_t bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, p, bytes);
  return value;
}

}  // namespace ringside::trace
