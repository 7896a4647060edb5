#include "libagent/recording/huge_pages.hpp"

#include <sys/mman.h>

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25  // Linux 6.1
#endif

namespace ringside {

void use_huge_pages(std::byte* place, std::uint64_t bytes) {
  if (bytes < kHugePageBytes || reinterpret_cast<std::uintptr_t>(place) % kHugePageBytes != 0) {
    return;
  }
  // A failure leaves the pages as they are.
  static_cast<void>(madvise(place, bytes / kHugePageBytes * kHugePageBytes, MADV_COLLAPSE));
}

}  // namespace ringside
