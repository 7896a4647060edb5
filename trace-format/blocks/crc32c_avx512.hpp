// CRC-32C by carry-less multiplication, 256 bytes at a time; x86-64 only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace ringside::trace {

bool can_crc32c_avx512();

// Like crc32c(), on processors that support it.
std::uint32_t crc32c_avx512(std::uint32_t crc, std::span<const std::byte> bytes);

}  // namespace ringside::trace
