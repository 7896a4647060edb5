#include "tools/fleet/clickhouse_delivery.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace ringside::fleet {

ClickHouseDelivery::ClickHouseDelivery(ClickHouseDeliveryOptions options, DeliveryQueue& queue,
                                       ClickHouseInserter& inserter, NowMs now_ms,
                                       Complain complain)
    : options_(options),
      queue_(queue),
      inserter_(inserter),
      now_ms_(std::move(now_ms)),
      complain_(std::move(complain)),
      requests_(queue, options.request_ms, now_ms_, complain_),
      rows_([this](std::string_view key, Bytes& contents) {
        return queue_.fetch_contents(key, contents);
      }),
      batch_(std::make_unique<InsertBatch>()) {}

// A message that is stored as a dead letter is done with. One that cannot be stored comes again.
void ClickHouseDelivery::refuse(const Delivery& delivery, const std::string& why) {
  complain_(fmt::format("message {} of {} is refused: {}", delivery.message.number,
                        delivery.message.subject, why));
  if (!queue_.store_dead_letter(delivery.message, why)) return queue_.postpone(delivery.token);
  ++counts_.dead_letters;
  queue_.acknowledge(delivery.token);
}

void ClickHouseDelivery::take(const Delivery& delivery) {
  std::string why;
  switch (rows_.take(delivery.message, batch_->rows, &why)) {
    case MessageRows::Taken::kNotNow:
      return queue_.postpone(delivery.token);
    case MessageRows::Taken::kRefused:
      return refuse(delivery, why);
    case MessageRows::Taken::kNoDictionary: {
      requests_.ask(delivery.message.subject, rows_.missing_contents());
      if (missing_since_ms_.size() >= kMostMissing) missing_since_ms_.clear();
      const auto since = missing_since_ms_.try_emplace(delivery.message.number, now_ms_()).first;
      if (now_ms_() - since->second < options_.patience_ms) return queue_.postpone(delivery.token);
      missing_since_ms_.erase(since);
      return refuse(delivery, why);
    }
    case MessageRows::Taken::kYes:
      break;
  }
  missing_since_ms_.erase(delivery.message.number);
  if (batch_->tokens.empty()) begun_ms_ = now_ms_();
  // Also if it has nothing new: its rows may be in a batch that is not inserted.
  batch_->tokens.push_back(delivery.token);
}

bool ClickHouseDelivery::is_full() {
  if (batch_->tokens.empty()) return false;
  return batch_->rows.records.rows >= options_.batch_rows ||
         batch_->rows.bytes() >= options_.batch_bytes || now_ms_() - begun_ms_ >= options_.flush_ms;
}

void ClickHouseDelivery::submit() {
  inserter_.submit(std::exchange(batch_, nullptr));
  batch_ = spare_ != nullptr ? std::move(spare_) : std::make_unique<InsertBatch>();
}

void ClickHouseDelivery::acknowledge(int timeout_ms) {
  while (auto batch = inserter_.inserted(timeout_ms)) {
    timeout_ms = 0;
    ++counts_.batches;
    counts_.acknowledged += batch->tokens.size();
    for (const std::uint64_t token : batch->tokens) queue_.acknowledge(token);
    batch->tokens.clear();
    spare_ = std::move(batch);
  }
}

bool ClickHouseDelivery::step(int timeout_ms) {
  acknowledge(0);
  if (inserter_.has_failed()) return false;
  if (inserter_.pending() >= kMostPending) {
    acknowledge(timeout_ms);
    return !inserter_.has_failed();
  }
  int wait_ms = timeout_ms;
  if (!batch_->tokens.empty() || inserter_.pending() != 0) {
    constexpr int kPollMs = 20;
    wait_ms = std::min(wait_ms, kPollMs);
  }
  while (auto delivery = queue_.next(wait_ms)) {
    wait_ms = 0;
    take(*delivery);
    if (is_full()) break;
  }
  if (is_full()) submit();
  return !inserter_.has_failed();
}

bool ClickHouseDelivery::finish(std::uint64_t timeout_ms) {
  const std::uint64_t until_ms = now_ms_() + timeout_ms;
  if (!batch_->tokens.empty()) submit();
  constexpr int kPollMs = 100;
  while (inserter_.pending() != 0 && !inserter_.has_failed() && now_ms_() < until_ms)
    acknowledge(kPollMs);
  acknowledge(0);
  return inserter_.pending() == 0 && !inserter_.has_failed();
}

}  // namespace ringside::fleet
