#include "tools/fleet/file_delivery.hpp"

#include <set>
#include <utility>

#include <fmt/format.h>

#include "tools/fleet/extent_message.hpp"

namespace ringside::fleet {
namespace {

constexpr std::uint64_t kNotDelivered = 0;  // tokens of a queue begin with 1

}  // namespace

FileDelivery::FileDelivery(FileDeliveryOptions options, DeliveryQueue& queue, FileSink& sink,
                           NowMs now_ms, Complain complain)
    : options_(options),
      queue_(queue),
      sink_(sink),
      now_ms_(std::move(now_ms)),
      complain_(std::move(complain)),
      requests_(queue, options.request_ms, now_ms_, complain_),
      synced_ms_(now_ms_()) {}

FileDelivery::Outcome FileDelivery::take(const Delivery& delivery, bool allows_gap) {
  std::string why;
  switch (sink_.take(delivery.message, allows_gap, &why)) {
    case FileSink::Taken::kNoDictionary:
      requests_.ask(delivery.message.subject, sink_.missing_contents());
      return Outcome::kHeld;
    case FileSink::Taken::kTooEarly:
      return Outcome::kHeld;
    case FileSink::Taken::kFailed:
      complain_(why);
      return Outcome::kFailed;
    case FileSink::Taken::kRefused:
      complain_(fmt::format("message {} of {} is refused: {}", delivery.message.number,
                            delivery.message.subject, why));
      if (!queue_.store_dead_letter(delivery.message, why)) {
        queue_.postpone(delivery.token);
        return Outcome::kPostponed;
      }
      break;
    case FileSink::Taken::kYes:
      break;
  }
  if (delivery.token != kNotDelivered) taken_.push_back(delivery.token);
  return Outcome::kTaken;
}

// Those that came too early, until none of them fits.
bool FileDelivery::take_held() {
  for (bool has_taken = true; has_taken;) {
    has_taken = false;
    std::vector<Held> left;
    for (Held& held : std::exchange(held_, {})) {
      const bool allows_gap = held.allows_gap || now_ms_() - held.since_ms >= options_.patience_ms;
      const Outcome outcome = take(held.delivery, allows_gap);
      if (outcome == Outcome::kFailed) return false;
      if (outcome != Outcome::kHeld) {
        has_taken = true;
        held_bytes_ -= held.delivery.message.payload.size();
      } else {
        left.push_back(std::move(held));
      }
    }
    held_ = std::move(left);
  }
  return true;
}

void FileDelivery::hold(Delivery delivery, std::uint64_t next_lookup_ms) {
  const std::size_t bytes = delivery.message.payload.size();
  if (held_bytes_ + bytes > options_.most_held_bytes) {
    if (delivery.token != kNotDelivered) queue_.postpone(delivery.token);
    return;
  }
  held_bytes_ += bytes;
  held_.push_back({std::move(delivery), now_ms_(), next_lookup_ms});
}

// Of those that wait for long. One that is found can have a predecessor that is missing, too: it is
// looked up by the next step.
void FileDelivery::look_up_predecessors() {
  std::set<std::pair<std::uint64_t, std::uint64_t>> held_numbers;  // by the queue's creation
  for (const Held& held : held_)
    held_numbers.emplace(held.delivery.message.queue_created_ns, held.delivery.message.number);
  std::vector<Delivery> found;
  for (Held& held : held_) {
    if (now_ms_() < held.next_lookup_ms) continue;
    held.next_lookup_ms = now_ms_() + options_.lookup_ms;
    const std::uint64_t previous = stated_previous(held.delivery.message.payload);
    if (previous == 0 ||
        !held_numbers.emplace(held.delivery.message.queue_created_ns, previous).second)
      continue;
    Delivery delivery{kNotDelivered, {}};
    switch (queue_.fetch_message(previous, delivery.message)) {
      case DeliveryQueue::Fetched::kYes:
        // The queue that had the predecessor is gone.
        held.allows_gap =
            delivery.message.queue_created_ns != held.delivery.message.queue_created_ns;
        found.push_back(std::move(delivery));
        break;
      case DeliveryQueue::Fetched::kMissing:
        held.allows_gap = true;
        break;
      case DeliveryQueue::Fetched::kUnknown:
        break;
    }
  }
  for (Delivery& delivery : found) hold(std::move(delivery), 0);
}

bool FileDelivery::step(int timeout_ms) {
  while (auto delivery = queue_.next(timeout_ms)) {
    timeout_ms = 0;
    const Outcome outcome = take(*delivery, false);
    if (outcome == Outcome::kFailed) return false;
    if (outcome == Outcome::kHeld) hold(std::move(*delivery), now_ms_() + options_.lookup_ms);
    if (now_ms_() - synced_ms_ >= options_.sync_ms) break;
  }
  if (!take_held()) return false;
  look_up_predecessors();
  return now_ms_() - synced_ms_ < options_.sync_ms || sync();
}

bool FileDelivery::sync() {
  synced_ms_ = now_ms_();
  if (taken_.empty()) return true;
  std::string why;
  if (!sink_.sync(&why)) {
    complain_(why);
    return false;
  }
  for (const std::uint64_t token : std::exchange(taken_, {})) queue_.acknowledge(token);
  return true;
}

}  // namespace ringside::fleet
