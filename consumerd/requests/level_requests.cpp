#include "consumerd/requests/level_requests.hpp"

#include <algorithm>
#include <optional>
#include <unistd.h>

#include "consumerd/requests/mapped_words.hpp"
#include "shm-layout/clock_reading.hpp"
#include "shm-layout/dictionary_entry.hpp"
#include "shm-layout/switch_change.hpp"
#include "shm-layout/tick_time.hpp"

namespace ringside::consumer {

void LevelRequests::ask(shm::Level level, std::chrono::nanoseconds time,
                        const std::string& trigger) {
  const Ask ask{level,
                shm::read_tsc() + shm::ns_to_ticks(static_cast<std::uint64_t>(time.count()),
                                                   segment_.header().tsc_frequency_hz),
                trigger};
  const auto same = std::find_if(asked_.begin(), asked_.end(),
                                 [level](const Ask& one) { return one.level == level; });
  if (same == asked_.end()) {
    asked_.push_back(ask);
  } else {
    same->deadline_tsc = std::max(same->deadline_tsc, ask.deadline_tsc);
    same->trigger = trigger;
  }
}

// For the trace. Before the change, as ringctl does it.
void LevelRequests::announce(const Ask& ask, std::uint64_t now_tsc) {
  shm::ChangeRecords& page = segment_.control().change_records;
  const std::uint64_t number = page.count.load(std::memory_order_relaxed) + 1;
  shm::ChangeRecord& record = page.records[(number - 1) % shm::kChangeRecords];
  record = {};
  record.number = number;
  record.tsc = now_tsc;
  record.uid = getuid();
  record.pid = static_cast<std::uint32_t>(getpid());
  record.author = static_cast<std::uint32_t>(shm::ChangeAuthor::kTrigger);
  const std::string command =
      "level " + std::string(shm::level_name(ask.level)) + " by trigger " + ask.trigger;
  command.copy(record.command, sizeof record.command);
  page.count.store(number, std::memory_order_release);
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
      announce(ask, shm::read_tsc());
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
