#pragma once
// Inserts batches in a thread of its own, one after another.

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tools/fleet/clickhouse_client.hpp"
#include "tools/fleet/clickhouse_server.hpp"
#include "tools/fleet/row_batch.hpp"

namespace ringside::fleet {

// Rows, and the messages that they are from.
struct InsertBatch {
  RowBatch rows;
  std::vector<std::uint64_t> tokens;  // of the deliveries
};

class ClickHouseInserter {
 public:
  using Complain = std::function<void(const std::string&)>;

  // `client` and `server` must outlive it, and are not used by others meanwhile. `complain` is
  // called in the thread of it.
  ClickHouseInserter(ClickHouseClient& client, const ClickHouseServer& server, Complain complain);
  // Abandons what is not inserted.
  ~ClickHouseInserter();
  ClickHouseInserter(const ClickHouseInserter&) = delete;
  ClickHouseInserter& operator=(const ClickHouseInserter&) = delete;

  // How many batches wait or are inserted now.
  std::size_t pending() const;
  void submit(std::unique_ptr<InsertBatch> batch);
  // The next batch that is in the tables, in the order of submit(), after `timeout_ms` at the
  // latest; else null. Its rows are cleared.
  std::unique_ptr<InsertBatch> inserted(int timeout_ms);
  // The server refuses a batch: nothing more is inserted. That was complained about.
  bool has_failed() const { return has_failed_; }

 private:
  void run();
  bool insert(RowBatch& rows);
  bool insert_table(RowBatch& rows, ClickHouseTable table, const std::string& identity);
  bool wait_to_retry(std::uint64_t failures);

  ClickHouseClient& client_;
  const ClickHouseServer& server_;
  const Complain complain_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::unique_ptr<InsertBatch>> waiting_;
  std::deque<std::unique_ptr<InsertBatch>> inserted_;
  bool is_inserting_ = false;
  bool ends_ = false;
  std::atomic<bool> has_failed_{false};
  std::thread thread_;
};

}  // namespace ringside::fleet
