#pragma once
// Takes messages from a queue into ClickHouse, and acknowledges what is inserted.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "tools/fleet/clickhouse_inserter.hpp"
#include "tools/fleet/contents_requests.hpp"
#include "tools/fleet/message_queue.hpp"
#include "tools/fleet/message_rows.hpp"

namespace ringside::fleet {

struct ClickHouseDeliveryOptions {
  std::size_t batch_rows = 500'000;                  // about; a message is not divided
  std::size_t batch_bytes = std::size_t{128} << 20;  // the same
  std::uint64_t flush_ms = 1000;  // after this time, a batch is inserted that is not full
  // After this time, a message whose dictionary is missing is a dead letter.
  std::uint64_t patience_ms = 120'000;
  std::uint64_t request_ms = 5000;  // between two requests for the same part of a dictionary
};

struct ClickHouseDeliveryCounts {
  std::uint64_t batches = 0;       // inserted
  std::uint64_t acknowledged = 0;  // messages
  std::uint64_t dead_letters = 0;
};

// Not thread-safe. What it refers to must outlive it.
class ClickHouseDelivery {
 public:
  using NowMs = std::function<std::uint64_t()>;  // monotonic
  using Complain = std::function<void(const std::string&)>;

  ClickHouseDelivery(ClickHouseDeliveryOptions options, DeliveryQueue& queue,
                     ClickHouseInserter& inserter, NowMs now_ms, Complain complain);

  // Takes what the queue has, for which it waits up to `timeout_ms`. False if the server refused
  // rows: what was not acknowledged comes again to the next process.
  bool step(int timeout_ms);
  // Inserts what was taken, for at most `timeout_ms`, and acknowledges it. False if not all of it
  // was.
  bool finish(std::uint64_t timeout_ms);

  const MessageRowCounts& row_counts() const { return rows_.counts(); }
  const ClickHouseDeliveryCounts& counts() const { return counts_; }

 private:
  static constexpr std::size_t kMostPending = 2;  // batches
  static constexpr std::size_t kMostMissing = 10'000;

  void take(const Delivery& delivery);
  void refuse(const Delivery& delivery, const std::string& why);
  bool is_full();
  void submit();
  void acknowledge(int timeout_ms);

  const ClickHouseDeliveryOptions options_;
  DeliveryQueue& queue_;
  ClickHouseInserter& inserter_;
  const NowMs now_ms_;
  const Complain complain_;
  ContentsRequests requests_;
  MessageRows rows_;
  std::unique_ptr<InsertBatch> batch_;
  std::unique_ptr<InsertBatch> spare_;
  std::uint64_t begun_ms_ = 0;  // of the batch, if it has messages
  // When messages came first whose dictionary is missing, by number.
  std::map<std::uint64_t, std::uint64_t> missing_since_ms_;
  ClickHouseDeliveryCounts counts_;
};

}  // namespace ringside::fleet
