#include "consumerd/requests/level_requests.hpp"

#include <algorithm>
#include <atomic>
#include <optional>

#include "shm-layout/clock_reading.hpp"
#include "shm-layout/dictionary_entry.hpp"
#include "shm-layout/switch_change.hpp"
#include "shm-layout/tick_time.hpp"

namespace ringside::consumer {
namespace {

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
    segment_.control().service.level.store(word, std::memory_order_relaxed);
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

}  // namespace

void LevelRequests::ask(shm::Level level, std::chrono::nanoseconds time) {
  const Ask ask{level, shm::read_tsc() + shm::ns_to_ticks(static_cast<std::uint64_t>(time.count()),
                                                          segment_.header().tsc_frequency_hz)};
  const auto same = std::find_if(asked_.begin(), asked_.end(),
                                 [level](const Ask& one) { return one.level == level; });
  if (same == asked_.end()) {
    asked_.push_back(ask);
  } else {
    same->deadline_tsc = std::max(same->deadline_tsc, ask.deadline_tsc);
  }
}

void LevelRequests::serve(const trace::SiteTable& sites, const Log& log) {
  if (asked_.empty() || segment_.truncated() || !segment_.try_lock_switches()) return;
  MappedWords words(segment_);
  const auto for_each_site = [&sites](const auto& visit) {
    sites.for_each([&visit](const trace::Site& site) {
      visit(site.id, static_cast<std::uint8_t>(site.level),
            (site.flags & shm::kSiteConsumerClock) != 0);
    });
    return true;
  };
  for (const Ask& ask : asked_) {
    std::optional<std::uint32_t> slot;
    shm::take_deadline(words, shm::read_tsc(), ask.deadline_tsc, &slot);
    if (slot) {
      shm::admit_level(words, static_cast<std::uint32_t>(ask.level), *slot, for_each_site);
      continue;
    }
    log.error("cannot enable level " + std::string(shm::level_name(ask.level)) + " by " +
              segment_.name() +
              ": too many level changes with a time limit are active; wait until one expires");
  }
  asked_.clear();
  segment_.unlock_switches();
}

}  // namespace ringside::consumer
