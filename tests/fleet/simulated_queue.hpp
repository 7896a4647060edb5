// A queue that keeps the promises of JetStream and no others: requests and answers get lost, come
// twice, late and in another order, and callers die in any call. Deterministic by its seed.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/fleet/content_hash.hpp"
#include "tools/fleet/message_queue.hpp"

namespace ringside::fleet::testing {

// Ends the process that called.
struct SimulatedCrash {};

class SimulatedQueue {
 public:
  // In percent, of calls or messages. All zero: nothing goes wrong.
  struct Faults {
    unsigned lost_requests = 0;
    unsigned lost_answers = 0;
    unsigned repeated_requests = 0;
    unsigned delayed_requests = 0;  // until a later step
    unsigned failed_lookups = 0;
    unsigned repeated_deliveries = 0;
    unsigned unordered_deliveries = 0;
    unsigned lost_acknowledgements = 0;
    unsigned lost_deliveries = 0;  // for ever, of messages that are not the last of their subject
    unsigned crashes = 0;          // per ten thousand calls
  };

  SimulatedQueue(std::uint64_t seed, const Faults& faults) : random_(seed), faults_(faults) {
    // Room for the list of the pieces of the largest contents.
    if (chance(50)) most_payload_bytes_ = 400 + below(400);
  }
  std::size_t most_payload_bytes() const { return most_payload_bytes_; }

  void set_faults(const Faults& faults) { faults_ = faults; }
  // While it lasts, nothing arrives.
  void set_partitioned(bool partitioned) { partitioned_ = partitioned; }

  bool chance(unsigned percent) { return random_() % 100 < percent; }
  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  void may_crash() {
    if (random_() % 10'000 < faults_.crashes) throw SimulatedCrash();
  }

  const std::vector<StoredMessage>& messages() const { return messages_; }
  std::size_t stored_bodies() const { return stored_bodies_; }
  std::size_t acknowledged() const { return acknowledged_.size(); }
  const std::map<std::uint64_t, std::string>& dead_letters() const { return dead_letters_; }

  // As if the bucket had reached a limit.
  void lose_some_contents() {
    std::erase_if(contents_, [this](const auto& entry) {
      return !entry.first.starts_with(kBodyKeyPrefix) && chance(50);
    });
  }
  // The stream is removed and created again; the bucket and late requests remain.
  void begin_anew() {
    messages_.clear();
    last_of_.clear();
    ids_.clear();
    acknowledged_.clear();
    ++created_ns_;
  }
  // What sinks asked shippers for since the last call.
  std::set<std::string> take_requested() { return std::exchange(requested_, {}); }

  // Requests that are still somewhere in the network, in any order.
  void let_late_requests_arrive() {
    while (!late_.empty() && chance(50)) {
      const std::size_t which = below(late_.size());
      OutgoingMessage message = std::move(late_[which]);
      late_.erase(late_.begin() + static_cast<std::ptrdiff_t>(which));
      store(message);
    }
  }

 private:
  friend class SimulatedPublisher;
  friend class SimulatedDelivery;

  PublishResult store(const OutgoingMessage& message) {
    if (message.payload.size() > most_payload_bytes_)
      return {0, PublishStatus::kRefused, 0, "too large"};
    if (const auto known = ids_.find(message.id); known != ids_.end())
      return {0, PublishStatus::kStored, known->second, {}};
    std::uint64_t& last = last_of_[message.subject];
    if (last != message.expected_last) return {0, PublishStatus::kOtherLast, 0, "other last"};
    last = messages_.size() + 1;
    messages_.push_back({last, message.subject, message.payload, created_ns_});
    // The server remembers ids only for some time.
    ids_[message.id] = last;
    if (chance(20)) ids_.clear();
    return {0, PublishStatus::kStored, last, {}};
  }

  std::mt19937_64 random_;
  Faults faults_;
  bool partitioned_ = false;
  std::size_t most_payload_bytes_ = std::size_t{1} << 20;
  std::uint64_t created_ns_ = 1;
  std::vector<StoredMessage> messages_;  // number n is at n - 1
  std::map<std::string, std::uint64_t> last_of_;
  std::map<std::string, std::uint64_t> ids_;
  std::vector<OutgoingMessage> late_;
  std::map<std::string, Bytes, std::less<>> contents_;
  std::size_t stored_bodies_ = 0;  // and their pieces
  std::set<std::uint64_t> acknowledged_;
  std::set<std::string> requested_;
  std::map<std::uint64_t, std::string> dead_letters_;  // reasons, by number
};

// The connection of one process that publishes.
class SimulatedPublisher final : public PublishQueue {
 public:
  explicit SimulatedPublisher(SimulatedQueue& queue) : queue_(queue) {}

  void publish(std::uint64_t token, OutgoingMessage message) override {
    queue_.may_crash();
    const auto& faults = queue_.faults_;
    PublishResult result{token, PublishStatus::kUnknown, 0, "no answer"};
    if (queue_.partitioned_ || queue_.chance(faults.lost_requests)) {
      // Lost.
    } else if (queue_.chance(faults.delayed_requests)) {
      queue_.late_.push_back(std::move(message));
    } else {
      const PublishResult answer = queue_.store(message);
      if (!queue_.chance(faults.lost_answers)) {
        result = answer;
        result.token = token;
      }
      if (queue_.chance(faults.repeated_requests)) queue_.late_.push_back(std::move(message));
    }
    results_.push_back(std::move(result));
    queue_.may_crash();
  }

  std::optional<PublishResult> result(int /*timeout_ms*/) override {
    queue_.may_crash();
    if (results_.empty() || queue_.chance(20)) return std::nullopt;
    const std::size_t which = queue_.below(results_.size());
    PublishResult result = std::move(results_[which]);
    results_.erase(results_.begin() + static_cast<std::ptrdiff_t>(which));
    return result;
  }

  Found last_of(const std::string& subject, StoredMessage& message) override {
    queue_.may_crash();
    if (queue_.partitioned_ || queue_.chance(queue_.faults_.failed_lookups)) return Found::kUnknown;
    const auto last = queue_.last_of_.find(subject);
    if (last == queue_.last_of_.end() || last->second == 0) return Found::kNo;
    message = queue_.messages_[last->second - 1];
    return Found::kYes;
  }

  std::size_t most_payload_bytes() const override { return queue_.most_payload_bytes_; }

  bool store_contents(std::string_view key, const Bytes& contents) override {
    queue_.may_crash();
    if (contents.size() > queue_.most_payload_bytes_) return false;
    if (queue_.partitioned_) return false;
    if (queue_.chance(queue_.faults_.lost_requests)) return false;
    queue_.contents_.emplace(std::string(key), contents);
    if (key.starts_with(kBodyKeyPrefix)) ++queue_.stored_bodies_;
    return !queue_.chance(queue_.faults_.lost_answers);
  }

 private:
  SimulatedQueue& queue_;
  std::vector<PublishResult> results_;
};

// The connection of one process that consumes.
class SimulatedDelivery final : public DeliveryQueue {
 public:
  explicit SimulatedDelivery(SimulatedQueue& queue) : queue_(queue) { begin(); }

  std::optional<Delivery> next(int /*timeout_ms*/) override {
    queue_.may_crash();
    if (created_ns_ != queue_.created_ns_) begin();
    for (; seen_ < queue_.messages_.size(); ++seen_)
      waiting_.push_back(queue_.messages_[seen_].number);
    if (queue_.partitioned_ || waiting_.empty()) return std::nullopt;
    std::size_t which = 0;
    if (queue_.chance(queue_.faults_.unordered_deliveries)) which = queue_.below(waiting_.size());
    const std::uint64_t number = waiting_[which];
    if (queue_.last_of_[queue_.messages_[number - 1].subject] != number &&
        queue_.chance(queue_.faults_.lost_deliveries)) {
      queue_.acknowledged_.insert(number);
      waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(which));
      return std::nullopt;
    }
    if (!queue_.chance(queue_.faults_.repeated_deliveries))
      waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(which));
    return Delivery{number + (created_ns_ << kTimeShift), queue_.messages_[number - 1]};
  }

  void acknowledge(std::uint64_t token) override {
    queue_.may_crash();
    if (token >> kTimeShift != created_ns_) return;
    token &= (std::uint64_t{1} << kTimeShift) - 1;
    if (queue_.partitioned_ || queue_.chance(queue_.faults_.lost_acknowledgements)) {
      waiting_.push_back(token);
    } else {
      queue_.acknowledged_.insert(token);
    }
  }

  void postpone(std::uint64_t token) override {
    if (token >> kTimeShift == created_ns_)
      waiting_.push_back(token & ((std::uint64_t{1} << kTimeShift) - 1));
  }

  void request_contents(const std::string& /*subject*/, const std::string& key) override {
    queue_.may_crash();
    if (!queue_.partitioned_ && !queue_.chance(queue_.faults_.lost_requests))
      queue_.requested_.insert(key);
  }

  bool store_dead_letter(const StoredMessage& message, const std::string& reason) override {
    queue_.may_crash();
    if (queue_.partitioned_ || queue_.chance(queue_.faults_.lost_requests)) return false;
    queue_.dead_letters_[message.number] = reason;
    return !queue_.chance(queue_.faults_.lost_answers);
  }

  Fetched fetch_message(std::uint64_t number, StoredMessage& message) override {
    queue_.may_crash();
    if (queue_.partitioned_ || queue_.chance(queue_.faults_.failed_lookups))
      return Fetched::kUnknown;
    if (number > queue_.messages_.size()) return Fetched::kMissing;
    message = queue_.messages_[number - 1];
    return Fetched::kYes;
  }

  Fetched fetch_contents(std::string_view key, Bytes& contents) override {
    queue_.may_crash();
    if (queue_.partitioned_ || queue_.chance(queue_.faults_.failed_lookups))
      return Fetched::kUnknown;
    const auto found = queue_.contents_.find(key);
    if (found == queue_.contents_.end()) return Fetched::kMissing;
    contents = found->second;
    return Fetched::kYes;
  }

 private:
  static constexpr unsigned kTimeShift = 32;  // of the queue's creation in tokens

  void begin() {
    created_ns_ = queue_.created_ns_;
    waiting_.clear();
    for (const StoredMessage& message : queue_.messages_) {
      if (!queue_.acknowledged_.contains(message.number)) waiting_.push_back(message.number);
    }
    seen_ = queue_.messages_.size();
    // What its predecessor had taken comes later than what is new.
    if (queue_.chance(queue_.faults_.unordered_deliveries) && waiting_.size() > 1)
      std::rotate(waiting_.begin(), waiting_.begin() + 1, waiting_.end());
  }

  SimulatedQueue& queue_;
  std::uint64_t created_ns_ = 0;
  std::deque<std::uint64_t> waiting_;
  std::size_t seen_ = 0;
};

}  // namespace ringside::fleet::testing
