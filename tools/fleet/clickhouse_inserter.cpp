#include "tools/fleet/clickhouse_inserter.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "tools/fleet/content_hash.hpp"
#include "tools/fleet/message_queue.hpp"

namespace ringside::fleet {
namespace {

constexpr std::uint64_t kFirstRetryMs = 200;
constexpr std::uint64_t kMostRetryMs = 10'000;

std::string hash_of(const NativeBlock& block) {
  Bytes bytes;
  for (const std::string_view piece : block.pieces()) {
    const auto* const begin = reinterpret_cast<const std::byte*>(piece.data());
    bytes.insert(bytes.end(), begin, begin + piece.size());
  }
  return hash_key(content_hash(bytes));
}

}  // namespace

ClickHouseInserter::ClickHouseInserter(ClickHouseClient& client, const ClickHouseServer& server,
                                       Complain complain)
    : client_(client),
      server_(server),
      complain_(std::move(complain)),
      thread_([this] { run(); }) {}

ClickHouseInserter::~ClickHouseInserter() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  client_.cancel();
  changed_.notify_all();
  thread_.join();
}

std::size_t ClickHouseInserter::pending() const {
  const std::lock_guard lock(mutex_);
  return waiting_.size() + (is_inserting_ ? 1 : 0);
}

void ClickHouseInserter::submit(std::unique_ptr<InsertBatch> batch) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(batch));
  }
  changed_.notify_all();
}

std::unique_ptr<InsertBatch> ClickHouseInserter::inserted(int timeout_ms) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, std::chrono::milliseconds(timeout_ms),
                    [this] { return !inserted_.empty() || has_failed_; });
  if (inserted_.empty()) return nullptr;
  std::unique_ptr<InsertBatch> batch = std::move(inserted_.front());
  inserted_.pop_front();
  return batch;
}

void ClickHouseInserter::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ends_ || !waiting_.empty(); });
    if (ends_) return;
    std::unique_ptr<InsertBatch> batch = std::move(waiting_.front());
    waiting_.pop_front();
    is_inserting_ = true;
    lock.unlock();
    const bool is_in = insert(batch->rows);
    if (is_in) batch->rows.clear();
    lock.lock();
    is_inserting_ = false;
    if (is_in) {
      inserted_.push_back(std::move(batch));
    } else {
      has_failed_ = true;
    }
    changed_.notify_all();
    if (!is_in) return;
  }
}

// `extents` last: what it has is in the other tables.
bool ClickHouseInserter::insert(RowBatch& rows) {
  std::string identity;
  if (server_.deduplicates() && rows.extents.rows != 0)
    identity = hash_of(rows.block(ClickHouseTable::kExtents, server_.dialect));
  for (const ClickHouseTable table : {ClickHouseTable::kStatements, ClickHouseTable::kRecords,
                                      ClickHouseTable::kLosses, ClickHouseTable::kExtents}) {
    if (!insert_table(rows, table, table == ClickHouseTable::kRecords ? identity : std::string()))
      return false;
  }
  return true;
}

// `identity`: of all rows; empty: the server makes it from the rows.
bool ClickHouseInserter::insert_table(RowBatch& rows, ClickHouseTable table,
                                      const std::string& identity) {
  if (rows.rows(table) == 0) return true;
  const NativeBlock block = rows.block(table, server_.dialect);
  const std::string sql =
      fmt::format("INSERT INTO {} ({}) FORMAT Native", table_name(table), block.names());
  ClickHouseClient::Settings settings;
  if (server_.has("max_partitions_per_insert_block"))
    settings.emplace_back("max_partitions_per_insert_block", "0");
  if (server_.deduplicates()) {
    settings.emplace_back("deduplicate_blocks_in_dependent_materialized_views", "1");
    if (!identity.empty()) settings.emplace_back("insert_deduplication_token", identity);
  }
  for (std::uint64_t failures = 0;; ++failures) {
    const ClickHouseAnswer answer = client_.insert(sql, settings, block.pieces());
    if (answer.is_ok()) return true;
    {
      const std::lock_guard lock(mutex_);
      if (ends_) return false;
    }
    if (answer.status == ClickHouseAnswer::Status::kRefused) {
      complain_(fmt::format("cannot insert into {}: {}", table_name(table), answer.why));
      return false;
    }
    if (failures == 0) complain_(answer.why + "; trying again until it succeeds");
    if (!wait_to_retry(failures)) return false;
  }
}

// False if the inserter ends.
bool ClickHouseInserter::wait_to_retry(std::uint64_t failures) {
  const std::uint64_t wait_ms =
      std::min(kFirstRetryMs << std::min<std::uint64_t>(failures, 6), kMostRetryMs);
  std::unique_lock lock(mutex_);
  return !changed_.wait_for(lock, std::chrono::milliseconds(wait_ms), [this] { return ends_; });
}

}  // namespace ringside::fleet
