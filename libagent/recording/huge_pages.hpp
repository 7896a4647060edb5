#pragma once
// Huge pages for rings that have all their memory: fewer translations to look up and to keep.

#include <cstddef>
#include <cstdint>

namespace ringside {

// Both the address and the place in the file must be multiples of it.
inline constexpr std::uint64_t kHugePageBytes = 2U << 20;

// Makes pages that are backed and mapped huge, at `place`, a multiple of kHugePageBytes, whatever
// the system's setting for shared memory is. Without effect on a kernel before Linux 6.1, on a file
// that has no such pages, and where no memory of that size is free. Can take milliseconds.
void use_huge_pages(std::byte* place, std::uint64_t bytes);

}  // namespace ringside
