#pragma once
// Messages as rows: each extent once.

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/fleet/extent_message.hpp"
#include "tools/fleet/extent_rows.hpp"
#include "tools/fleet/message_dictionary.hpp"
#include "tools/fleet/message_queue.hpp"
#include "tools/fleet/row_batch.hpp"
#include "tools/fleet/stream_ledger.hpp"
#include "trace-format/codec/extent_decoder.hpp"

namespace ringside::fleet {

struct MessageRowCounts {
  std::uint64_t messages = 0;
  std::uint64_t records = 0;  // rows of them
  std::uint64_t extents = 0;  // taken
  std::uint64_t repeated_extents = 0;
  std::uint64_t refused = 0;  // messages
};

// Remembers which extents it has added to batches: so all batches must be inserted, in their order.
// Not thread-safe.
class MessageRows {
 public:
  // A message of larger rows is refused: a few bytes can claim many records.
  static constexpr std::size_t kMostMessageBytes = std::size_t{1} << 30;
  // So is one whose records cover a longer time: each month has a partition.
  static constexpr std::uint64_t kMostMessageNs = std::uint64_t{4} * 366 * 86'400 * 1'000'000'000;

  // It remembers the extents of up to 20,000 segments, as ranges of numbers: one for each stream
  // that comes in order. When there are more, it forgets all.
  static constexpr std::size_t kMostRemembered = 2'000'000;
  // A message of more clocks is refused. Shippers send the last 4,096 with each.
  static constexpr std::size_t kMostClocks = 100'000;

  explicit MessageRows(FetchContents fetch, std::size_t most_remembered = kMostRemembered);

  enum class Taken : std::uint8_t {
    kYes,
    kNoDictionary,  // it is not stored, or not yet, see missing_contents(); `*why`
    kNotNow,        // the dictionary cannot be fetched now
    kRefused,       // never to be taken; `*why`
  };
  // Adds all rows of the message that are new, or none.
  Taken take(const StoredMessage& stored, RowBatch& batch, std::string* why);

  // After kNoDictionary: the key of what the queue does not have.
  const std::string& missing_contents() const { return fetch_.missing(); }

  const MessageRowCounts& counts() const { return counts_; }

 private:
  struct Work;

  static constexpr std::size_t kMostSegments = 20'000;
  static constexpr std::size_t kMostStatements = 1'000'000;

  Taken refused();
  bool add_blocks(const ExtentMessage& message, Work& work);
  bool add_extent(std::span<const std::byte> payload, Work& work);
  void add_losses(std::span<const std::byte> payload, Work& work);
  void add_positions(std::span<const std::byte> payload, Work& work);
  void add_statement(const StatementFacts& facts);
  StreamLedger& ledger_of(const std::string& subject);
  void forget();
  void remember(StreamLedger& ledger, const std::vector<trace::ExtentHeader>& extents);

  ContentsFetch fetch_;
  DictionaryCache dictionaries_{fetch_};
  ExtentRows extent_rows_;
  const std::size_t most_remembered_;
  std::map<std::string, StreamLedger> ledgers_;  // by subject, which has the host
  std::size_t remembered_ = 0;                   // ranges of all ledgers
  std::set<std::uint64_t> statements_;           // that are inserted, or in a batch
  std::set<std::uint64_t> new_statements_;       // of the message
  StatementColumns* statement_columns_ = nullptr;
  MessageRowCounts counts_;
};

}  // namespace ringside::fleet
