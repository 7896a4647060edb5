// The records of many streams within a short span of time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace-format/codec/record_rows.hpp"
#include "trace-format/reader/event_key.hpp"
#include "trace-format/reader/trace_event.hpp"

namespace ringside::trace {

// Filled stream by stream, sorted, and read in the order of time. If threads log in parallel, each
// record comes from another stream. A merge of thousands of streams then misses the cache for every
// record. Here a stream's decoder is used once a slice, and the records are close together.
class TimeSlice {
 public:
  static constexpr std::size_t kMostRecords = std::size_t{1} << 17;

  void clear();
  bool full() const { return items_.size() >= kMostRecords || rows_.full(); }
  std::size_t size() const { return items_.size(); }

  // Later calls of add() add records of this stream. The info must outlive the use. Sorting costs
  // least if streams come by rising id.
  void begin_stream(std::uint64_t stream_id, const StreamInfo* info) {
    if (!streams_.empty()) {
      if (streams_.back().id == stream_id) return;
      rising_ = rising_ && streams_.back().id < stream_id;
    }
    streams_.push_back({stream_id, info});
  }
  // Ordered by (order_ns, stream, sequence). Do not call when full(). Texts must outlive the use.
  void add(std::uint64_t order_ns, std::uint64_t unix_ns, const Record& record) {
    items_.push_back(
        {order_ns, rows_.add(unix_ns, record), static_cast<std::uint32_t>(streams_.size() - 1)});
  }

  // After this call the first record is available, if there is any.
  void sort();
  bool at_end() const { return next_ == items_.size(); }
  void advance() { ++next_; }
  EventKey key() const;  // of the record itself
  // All parts of the record. Its arguments are valid until the next get().
  void get(Record& record);
  const StreamInfo* stream() const { return streams_[items_[next_].stream].info; }

 private:
  struct Item {
    std::uint64_t order_ns = 0;
    RecordRows::Row row = 0;
    std::uint32_t stream = 0;  // in streams_
  };
  struct Stream {
    std::uint64_t id = 0;
    const StreamInfo* info = nullptr;
  };

  bool is_before(const Item& a, const Item& b) const;
  void number_streams();
  void sort_few(Item* begin, Item* end) const;

  RecordRows rows_;
  std::vector<Stream> streams_;
  bool rising_ = true;  // streams_, by id
  std::vector<Item> items_;
  std::size_t next_ = 0;
  std::vector<Item> sorted_;         // result of sort(), like the members below
  std::vector<std::uint32_t> ends_;  // of the buckets
};

}  // namespace ringside::trace
