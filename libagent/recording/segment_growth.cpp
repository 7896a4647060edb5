#include "libagent/recording/segment_growth.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <signal.h>

#include <sys/mman.h>

#include "libagent/process/held_back_signals.hpp"
#include "libagent/recording/huge_pages.hpp"
#include "libagent/recording/ring_memory.hpp"
#include "shm-layout/site_executions.hpp"
#include "shm-layout/site_switch.hpp"

namespace ringside {
namespace {

constexpr std::uint64_t kDictionaryStepBytes = 64U << 10;
constexpr std::uint32_t kSiteLossesStep = 256;  // entries
// As many rings as have their nested records in one page.
constexpr std::uint32_t kRingStep = shm::kPageBytes / sizeof(shm::NestedRecords);
constexpr std::uint32_t kSwitchStep = shm::kPageBytes;

using Step = GrowthFailure::Step;

int allocate(int fd, int mode, std::uint64_t offset, std::uint64_t bytes) {
  int result = 0;
  do {
    result = fallocate(fd, mode, static_cast<off_t>(offset), static_cast<off_t>(bytes));
  } while (result != 0 && errno == EINTR);
  return result;
}

}  // namespace

std::string message_of(const GrowthFailure& failure, std::string_view part,
                       const std::string& path) {
  char buffer[128];
  const std::string why = strerror_r(failure.error, buffer, sizeof buffer);
  const std::string what(part);
  if (failure.step == Step::reach) {
    return "cannot open " + path + " again for " + what + ": " + why +
           "; the service closed the descriptor of its trace segment: exclude it from closing, or "
           "keep the file accessible";
  }
  if (failure.step == Step::map) {
    return "cannot map " + what + " of " + path + ": " + why +
           "; raise the limits on address space (ulimit -v) and mappings (vm.max_map_count)";
  }
  if (failure.error == EFBIG) {
    return "no space for " + what + " in " + path + ": " + why +
           "; raise the limit on the size of files (ulimit -f)";
  }
  return "no memory for " + what + " in " + path + ": " + why +
         "; enlarge the shared-memory file system (in a container: --shm-size)";
}

GrowthFailure reserve(SegmentDescriptor& descriptor, std::uint64_t offset, std::uint64_t bytes) {
  const int fd = descriptor.get();
  if (fd < 0) return {Step::reach, errno};
  const HeldBackSignals held({SIGXFSZ});
  // A file that was truncated must not grow again: its pages would come back as zeros, unnoticed.
  int result = allocate(fd, FALLOC_FL_KEEP_SIZE, offset, bytes);
  if (result != 0 && errno == EOPNOTSUPP) result = allocate(fd, 0, offset, bytes);
  if (result != 0) return {Step::reserve, errno};
  return {};
}

GrowthFailure reserve_dictionary(Segment& segment, std::uint64_t bytes) {
  if (bytes <= segment.dictionary_reserved) return {};
  if (bytes > segment.layout.dictionary_bytes) return {Step::reserve, ENOSPC};
  std::uint64_t wanted = shm::round_up(bytes, kDictionaryStepBytes);
  if (wanted > segment.layout.dictionary_bytes) wanted = segment.layout.dictionary_bytes;
  const GrowthFailure failure =
      reserve(segment.descriptor, segment.layout.dictionary_offset, wanted);
  if (!failure) segment.dictionary_reserved = wanted;
  return failure;
}

GrowthFailure reserve_ring_metadata(Segment& segment, std::uint32_t index) {
  const std::uint32_t present = segment.rings_reserved;
  if (index < present) return {};
  const std::uint32_t wanted = std::min(present + kRingStep, segment.layout.ring_count);
  const auto reserve_entries = [&](std::uint64_t region, std::uint64_t entry_bytes) {
    return reserve(segment.descriptor, region + present * entry_bytes,
                   (wanted - present) * entry_bytes);
  };
  GrowthFailure failure =
      reserve_entries(segment.layout.metadata_offset, sizeof(shm::RingMetadata));
  if (!failure) {
    failure = reserve_entries(segment.layout.nested_offset, sizeof(shm::NestedRecords));
  }
  if (failure) return failure;
  segment.rings_reserved = wanted;
  if (segment.keeps_contexts) reserve_contexts(segment);
  return {};
}

void reserve_contexts(Segment& segment) {
  std::atomic<std::uint32_t>& kept = segment.control->kept_contexts.rings;
  const std::uint32_t present = kept.load(std::memory_order_relaxed);
  segment.keeps_contexts = true;
  if (present >= segment.rings_reserved ||
      reserve(
          segment.descriptor,
          segment.layout.contexts_offset + std::uint64_t{present} * sizeof(shm::ConsumedContext),
          (segment.rings_reserved - present) * sizeof(shm::ConsumedContext))) {
    return;
  }
  // Pairs with the consumer's acquire.
  kept.store(segment.rings_reserved, std::memory_order_release);
}

GrowthFailure reserve_switches(Segment& segment, std::uint32_t site_id) {
  const std::uint32_t present = segment.switches_reserved;
  if (site_id < present) return {};
  const auto wanted = static_cast<std::uint32_t>(std::min<std::uint64_t>(
      shm::round_up(std::uint64_t{site_id} + 1, kSwitchStep), segment.layout.site_capacity));
  const GrowthFailure failure =
      reserve(segment.descriptor, segment.layout.switches_offset + present, wanted - present);
  if (failure) return failure;
  std::memset(segment.switches + present, shm::kSwitchUnregistered, wanted - present);
  segment.switches_reserved = wanted;
  return {};
}

void reserve_site_losses(Segment& segment, std::uint32_t site_id) {
  if (site_id < segment.sites_counted.load(std::memory_order_relaxed)) return;
  const auto wanted = static_cast<std::uint32_t>(std::min<std::uint64_t>(
      shm::round_up(std::uint64_t{site_id} + 1, kSiteLossesStep), segment.layout.site_capacity));
  if (wanted <= site_id || reserve(segment.descriptor, segment.layout.site_losses_offset,
                                   std::uint64_t{wanted} * sizeof(shm::SiteLosses))) {
    return;
  }
  segment.sites_counted.store(wanted, std::memory_order_relaxed);
  // Pairs with the acquire of a reader, which reads no entry beyond.
  segment.control->losses.sites_counted.store(wanted, std::memory_order_release);
}

void reserve_site_executions(Segment& segment, std::uint32_t site_id) {
  const std::uint32_t present = segment.sites_with_executions.load(std::memory_order_relaxed);
  if (site_id < present || site_id >= segment.layout.site_capacity) return;
  const std::uint64_t begin = shm::execution_bytes(present);
  if (reserve(segment.descriptor, segment.layout.site_executions_offset + begin,
              shm::execution_bytes(site_id + 1) - begin)) {
    return;
  }
  const auto wanted = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(shm::round_up(std::uint64_t{site_id} + 1, shm::kExecutionPageSites),
                              segment.layout.site_capacity));
  segment.sites_with_executions.store(wanted, std::memory_order_relaxed);
  // Pairs with the acquire of a reader, which reads no entry beyond.
  segment.control->losses.sites_with_executions.store(wanted, std::memory_order_release);
}

void reserve_for_statement(Segment& segment, const rs_site& site, std::uint32_t site_id) {
  reserve_site_losses(segment, site_id);
  reserve_site_executions(segment, site_id);
  if (site.style == RS_STYLE_CONTEXT) reserve_contexts(segment);
}

namespace {

// Null with errno. A multiple of kHugePageBytes for rings that can use such pages.
std::byte* reserve_addresses(std::uint64_t bytes) {
  const auto map = [](std::uint64_t size) {
    return mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  };
  const auto past_multiple = [](void* place) {
    return reinterpret_cast<std::uintptr_t>(place) % kHugePageBytes;
  };
  void* place = map(bytes);
  if (place == MAP_FAILED) return nullptr;
  if (bytes < kRingCopies * kHugePageBytes || past_multiple(place) == 0) {
    return static_cast<std::byte*>(place);
  }
  // Kernels before Linux 6.7 choose any page: more than needed, and without the ends.
  munmap(place, bytes);
  place = map(bytes + kHugePageBytes);
  if (place == MAP_FAILED) return nullptr;
  auto* const begin = static_cast<std::byte*>(place);
  const std::uint64_t before = (kHugePageBytes - past_multiple(place)) % kHugePageBytes;
  if (before != 0) munmap(begin, before);
  munmap(begin + before + bytes, kHugePageBytes - before);
  return begin + before;
}

// Address space for kRingCopies of the ring at `offset` of the file, with the second copy mapped.
// Null with `failure`.
std::byte* map_second_copy(Segment& segment, std::uint64_t offset, GrowthFailure* failure) {
  const std::uint64_t bytes = segment.layout.ring_bytes;
  const int fd = segment.descriptor.get();
  if (fd < 0) {
    *failure = {Step::reach, errno};
    return nullptr;
  }
  std::byte* const base = reserve_addresses(kRingCopies * bytes);
  if (base == nullptr) {
    *failure = {Step::map, errno};
    return nullptr;
  }
  if (mmap(base + bytes, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd,
           static_cast<off_t>(offset)) == MAP_FAILED) {
    *failure = {Step::map, errno};
    munmap(base, kRingCopies * bytes);
    return nullptr;
  }
  return base;
}

}  // namespace

bool map_other_copies(const Segment& segment, std::byte* base) {
  const std::uint64_t bytes = segment.layout.ring_bytes;
  // A shared mapping whose old size is 0 is duplicated: no descriptor is needed.
  const auto duplicate = [&](std::byte* place) {
    return mremap(base + bytes, 0, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, place) != MAP_FAILED;
  };
  return duplicate(base) && duplicate(base + 2 * bytes);
}

bool map_other_copies_by_file(Segment& segment, std::uint64_t offset, std::byte* base) {
  const std::uint64_t bytes = segment.layout.ring_bytes;
  const int fd = segment.descriptor.get();
  if (fd < 0) return false;
  const auto map = [&](std::byte* place) {
    return mmap(place, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd,
                static_cast<off_t>(offset)) != MAP_FAILED;
  };
  return map(base) && map(base + 2 * bytes);
}

namespace {

// The second copy of the ring at `offset` of the file, and all of them if no call that uses it may
// map anything.
GrowthFailure back_first_part(Segment& segment, std::uint64_t offset, std::byte* base,
                              std::uint64_t part_bytes) {
  const std::uint64_t bytes = segment.layout.ring_bytes;
  const int error = back_pages(base + bytes, part_bytes);
  if (error != 0 && error != EINVAL) {
    madvise(base + bytes, part_bytes, MADV_REMOVE);
    return {Step::reserve, error};
  }
  if (error != 0) {
    const GrowthFailure failure = reserve(segment.descriptor, offset, part_bytes);
    if (failure) return failure;
    map_pages(base + bytes, part_bytes);
  }
  if (part_bytes != bytes) return {};
  if (!map_other_copies(segment, base) && !map_other_copies_by_file(segment, offset, base)) {
    return {Step::map, errno};
  }
  map_pages(base, kRingCopies * bytes);
  return {};
}

}  // namespace

std::byte* map_ring(Segment& segment, std::uint32_t index, GrowthFailure* failure) {
  const std::uint64_t bytes = segment.layout.ring_bytes;
  const std::uint64_t offset = segment.layout.rings_offset + index * bytes;
  const std::uint64_t part_bytes = first_part_bytes(segment);
  *failure = reserve_ring_metadata(segment, index);
  if (!*failure && segment.call_costs != nullptr) {
    *failure =
        reserve(segment.descriptor,
                segment.layout.call_costs_offset + std::uint64_t{index} * sizeof(shm::CallCosts),
                sizeof(shm::CallCosts));
  }
  if (*failure) return nullptr;
  std::byte* const base = map_second_copy(segment, offset, failure);
  if (base == nullptr) return nullptr;
  *failure = back_first_part(segment, offset, base, part_bytes);
  if (*failure) {
    munmap(base, kRingCopies * bytes);
    return nullptr;
  }
  const bool is_whole = part_bytes == bytes;
  segment.ring_memory[index] = {0, is_whole ? kWholeRing : part_bytes, is_whole};
  return base;
}

}  // namespace ringside
