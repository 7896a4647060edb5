#include "consumerd/session/trigger_checks.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "shm-layout/record_head.hpp"
#include "shm-layout/segment_name.hpp"

namespace ringside::consumer {
namespace {

// Bytes copied at a time: they fit the second-level cache.
constexpr std::uint64_t kPeekAtOnce = 64U << 10;

}  // namespace

TriggerSource TriggerChecks::source() const {
  const std::string& name = segment_.name();
  return {name, std::string(shm::service_of_segment_name(name)), segment_.header().pid,
          segment_.header().tsc_frequency_hz};
}

void TriggerChecks::follow(TriggerQueue& triggers, bool drains) {
  const bool first_rules = !drains && watch_ == nullptr;
  watch_ = TriggerWatch::of_service(triggers, source(), log_);
  const std::string service = source().service;
  const bool wants_losses =
      std::any_of(triggers.rules()->begin(), triggers.rules()->end(), [&](const TriggerRule& rule) {
        return rule.cause == TriggerRule::Cause::kLoss && rule.is_for(service);
      });
  if (!wants_losses) {
    loss_watch_.reset();
  } else if (loss_watch_ == nullptr) {
    loss_watch_ = std::make_unique<LossWatch>(segment_);
  }
  // Records that another consumerd or other rules have checked do not count again.
  peeks_.clear();
  peeks_from_now_ =
      !first_rules || segment_.control().consumer.session.load(std::memory_order_relaxed) > 1;
}

bool TriggerChecks::check_overwritten(std::uint64_t most_bytes, std::size_t rings,
                                      DictionaryFeed& dictionary, RecordPass* pass,
                                      std::vector<std::byte>* scratch, RoundResult* result) {
  if (watch_ == nullptr) return true;
  while (peeks_.size() < rings) {
    peeks_.emplace_back(segment_, static_cast<std::uint32_t>(peeks_.size()), peeks_from_now_);
  }
  peeks_from_now_ = false;
  if (dictionary.update() == DictionaryFeed::Result::kNoSpace) return false;
  // The rings have no records yet of statements that become known later.
  if (!watch_->concerns(dictionary.sites())) return true;
  std::uint64_t looked = 0;
  const std::size_t count = peeks_.size();
  const std::size_t first = first_peek_ < count ? first_peek_ : 0;
  for (std::size_t step = 0; step < count; ++step) {
    const std::size_t index = first + step < count ? first + step : first + step - count;
    RingPeek& peek = peeks_[index];
    while (peek.has_news() &&
           peek.take(std::max<std::uint64_t>(kPeekAtOnce, shm::kMaxRecordBytes), scratch)) {
      // Updated after the copy: the dictionary then has the sites of all records in the copy.
      if (dictionary.update() == DictionaryFeed::Result::kNoSpace) return false;
      watch_->concerns(dictionary.sites());
      bool sound = true;
      const std::size_t whole =
          watch_->look(dictionary.sites(), *scratch, peek.owner(), pass, peek.stream(), &sound);
      if (result != nullptr) {
        result->fullest_permille = std::max(
            result->fullest_permille, peek.unread_bytes() * 1000 / segment_.layout().ring_bytes);
      }
      peek.passed(whole, sound && whole != 0);
      looked += scratch->size();
      if (looked >= most_bytes) break;
    }
    if (peek.missed_bytes() != 0 && !std::exchange(logged_missed_, true)) {
      log_.error("records of " + segment_.name() +
                 " are overwritten before triggers can check them; use larger rings "
                 "(RINGSIDE_RING_BYTES)");
    }
    if (looked >= most_bytes) {
      first_peek_ = index + 1 < count ? index + 1 : 0;
      break;
    }
  }
  if (result != nullptr) result->ring_bytes += looked;
  return true;
}

}  // namespace ringside::consumer
