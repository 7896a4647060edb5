#pragma once
// The switches, the level and the deadlines of a mapped segment, for shm-layout/switch_change.hpp.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "consumerd/discover/attached_segment.hpp"
#include "shm-layout/switch_change.hpp"

namespace ringside::consumer {

// The words of a mapped segment. A service that writes there at the same time harms only itself.
class MappedWords {
 public:
  using Switches = std::vector<std::uint8_t>;

  explicit MappedWords(AttachedSegment& segment) : segment_(segment) {}

  bool read_level(std::uint32_t* word) {
    *word = segment_.control().service.level.load(std::memory_order_acquire);
    return true;
  }
  bool write_level(std::uint32_t word) {
    // Release: a service that reads the level also sees the deadline that it refers to.
    segment_.control().service.level.store(word, std::memory_order_release);
    // Pairs with the service's fence between setting a new statement's switch and checking the
    // level again.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    return true;
  }
  bool read_deadlines(shm::DeadlineCopy* deadlines) {
    for (std::uint32_t slot = 0; slot < shm::kSwitchDeadlineSlots; ++slot) {
      (*deadlines)[slot] =
          segment_.control().switch_deadlines.tsc[slot].load(std::memory_order_relaxed);
    }
    return true;
  }
  bool write_deadline(std::uint32_t slot, std::uint64_t tsc) {
    // Pairs with the acquire of a switch that refers to it.
    segment_.control().switch_deadlines.tsc[slot].store(tsc, std::memory_order_release);
    return true;
  }
  bool read_switches(Switches* switches) {
    const std::uint64_t count =
        std::uint64_t{segment_.control().service.site_count.load(std::memory_order_acquire)} + 1;
    switches->resize(std::min<std::uint64_t>(count, segment_.layout().site_capacity));
    for (std::size_t id = 0; id < switches->size(); ++id) {
      (*switches)[id] = word(id).load(std::memory_order_relaxed);
    }
    return true;
  }
  bool write_switch(std::uint32_t site_id, std::uint8_t state) {
    if (site_id == 0 || site_id >= segment_.layout().site_capacity) return true;
    word(site_id).store(state, std::memory_order_release);
    return true;
  }

 private:
  std::atomic_ref<std::uint8_t> word(std::size_t id) {
    return std::atomic_ref<std::uint8_t>(segment_.switches()[id]);
  }

  AttachedSegment& segment_;
};

}  // namespace ringside::consumer
