#pragma once
// How far apart are the bytes at which a sample is cut or changed: 1, or RINGSIDE_TEST_BYTES_APART.

#include <cstddef>
#include <cstdlib>

namespace ringside::tool {

inline std::size_t bytes_apart() {
  const char* const apart = std::getenv("RINGSIDE_TEST_BYTES_APART");
  return apart == nullptr ? 1 : std::strtoul(apart, nullptr, 10);
}

// The first cut of those that end before the last byte.
inline std::size_t first_cut(std::size_t bytes) {
  return (bytes - 1) % bytes_apart();
}

}  // namespace ringside::tool
