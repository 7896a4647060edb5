// CRC-32C (Castagnoli, reflected), as iSCSI, ext4 and SSE 4.2 compute it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace ringside::trace {

// Continues `crc` (0 at the start) over `bytes`; crc32c(crc32c(0, a), b) is the CRC of a then b.
std::uint32_t crc32c(std::uint32_t crc, std::span<const std::byte> bytes);

// The versions that this processor can run. The first one runs everywhere; the last one is the
// version that crc32c() uses.
using Crc32c = std::uint32_t (*)(std::uint32_t crc, std::span<const std::byte> bytes);
std::span<const Crc32c> crc32c_versions();

}  // namespace ringside::trace
