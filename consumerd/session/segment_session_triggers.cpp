// Triggers in SegmentSession: what is checked for them, and what they do to a segment.
#include <algorithm>
#include <utility>

#include "consumerd/session/segment_session.hpp"
#include "shm-layout/segment_name.hpp"

namespace ringside::consumer {
namespace {

// Bytes copied at a time: they fit the second-level cache.
constexpr std::uint64_t kGlanceAtOnce = 64U << 10;

}  // namespace

TriggerSource SegmentSession::trigger_source() const {
  return {name(), std::string(shm::service_of_segment_name(name())), segment_->header().pid};
}

void SegmentSession::set_triggers(TriggerDesk& desk) {
  const bool first_rules = rings_.empty() && watch_ == nullptr;
  watch_ = TriggerWatch::of_service(desk, trigger_source(), log_);
  const std::string service = trigger_source().service;
  const bool wants_losses =
      std::any_of(desk.rules()->begin(), desk.rules()->end(), [&](const TriggerRule& rule) {
        return rule.cause == TriggerRule::Cause::kLoss && rule.is_for(service);
      });
  if (!wants_losses) {
    loss_watch_.reset();
  } else if (loss_watch_ == nullptr) {
    loss_watch_ = std::make_unique<LossWatch>(*segment_);
  }
  // Records that another consumerd or other rules have checked do not count again.
  glances_.clear();
  glances_from_now_ =
      !first_rules || segment_->control().consumer.session.load(std::memory_order_relaxed) > 1;
}

bool SegmentSession::look_at_overwritten(std::uint64_t most_bytes, RoundResult* result) {
  if (watch_ == nullptr) return true;
  while (glances_.size() < rings_.size()) {
    glances_.emplace_back(*segment_, static_cast<std::uint32_t>(glances_.size()),
                          glances_from_now_);
  }
  glances_from_now_ = false;
  if (dictionary_->update() == DictionaryFeed::Result::kNoSpace) return false;
  // The rings have no records yet of statements that become known later.
  if (!watch_->concerns(dictionary_->sites())) return true;
  std::uint64_t looked = 0;
  const std::size_t count = glances_.size();
  const std::size_t first = first_glance_ < count ? first_glance_ : 0;
  for (std::size_t step = 0; step < count; ++step) {
    const std::size_t index = first + step < count ? first + step : first + step - count;
    RingGlance& glance = glances_[index];
    while (glance.has_news() &&
           glance.take(std::max<std::uint64_t>(kGlanceAtOnce, shm::kMaxRecordBytes), &scratch_)) {
      // Updated after the copy: the dictionary then has the sites of all records in the copy.
      if (dictionary_->update() == DictionaryFeed::Result::kNoSpace) return false;
      watch_->concerns(dictionary_->sites());
      bool sound = true;
      const std::size_t whole =
          watch_->look(dictionary_->sites(), scratch_, glance.owner(), pass_.get(), &sound);
      if (result != nullptr) {
        result->fullest_permille = std::max(
            result->fullest_permille, glance.behind_bytes() * 1000 / segment_->layout().ring_bytes);
      }
      glance.passed(whole, sound && whole != 0);
      looked += scratch_.size();
      if (looked >= most_bytes) break;
    }
    if (glance.missed_bytes() != 0 && !std::exchange(told_missed_, true)) {
      log_.error("records of " + name() +
                 " are overwritten before triggers can look at them; give it larger rings");
    }
    if (looked >= most_bytes) {
      first_glance_ = index + 1 < count ? index + 1 : 0;
      break;
    }
  }
  if (result != nullptr) result->ring_bytes += looked;
  return true;
}

}  // namespace ringside::consumer
