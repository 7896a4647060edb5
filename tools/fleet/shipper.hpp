#pragma once
// Ships all segments of some directories (README.md, "Invariants").

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tools/fleet/bandwidth.hpp"
#include "tools/fleet/content_store.hpp"
#include "tools/fleet/loss_report.hpp"
#include "tools/fleet/message_queue.hpp"
#include "tools/fleet/segment_source.hpp"
#include "tools/fleet/ship_cursor.hpp"
#include "tools/fleet/trace_segments.hpp"

namespace ringside::fleet {

struct ShipperOptions {
  std::string tenant = "default";
  int level = 3;                                       // of zstd
  std::size_t message_bytes = std::size_t{512} << 10;  // of blocks, before compression
  std::size_t most_bytes_on_the_way = std::size_t{32} << 20;
  Bandwidth* bandwidth = nullptr;              // of payloads and dictionaries; null: unlimited
  const RecordSelection* selection = nullptr;  // the records that are sent; null: all
  std::string snapshot = {};                   // its id, if this is one
  const ContentStore* contents = nullptr;      // keeps what is sent of dictionaries; or null
  std::function<void(const LossReport&)> report_loss = {};  // or empty
  std::uint64_t linger_ms = 200;                            // before a message that is not full
  std::uint64_t retry_ms = 100;  // after the first failure in a row; doubles
  std::uint64_t most_retry_ms = 10'000;
};

struct ShipperCounts {
  std::uint64_t messages = 0;  // stored
  std::uint64_t segments = 0;  // of which records were stored
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;     // of stored payloads
  std::uint64_t failures = 0;  // publishing that was tried again
  std::uint64_t lost = 0;      // records that services lost, as stated in what was stored
  std::uint64_t refused = 0;   // messages that the queue never takes; their records are a gap
};

// What the queue has not stored.
struct ShipperLag {
  std::uint64_t bytes = 0;      // of trace files
  std::uint64_t oldest_ms = 0;  // age of the oldest of them; 0: there are none
};

// Not thread-safe. What it refers to must outlive it.
class Shipper {
 public:
  using NowMs = std::function<std::uint64_t()>;  // monotonic
  using Complain = std::function<void(const std::string&)>;

  Shipper(ShipperOptions options, TraceSegments& segments, PublishQueue& queue,
          const CursorStore& cursors, NowMs now_ms, Complain complain);
  ~Shipper();

  // Publishes what can be published, and takes results, for which it waits up to `timeout_ms`.
  void step(int timeout_ms);

  // Whether everything is stored that each file had when it was last read to its end; false before
  // the first step().
  bool is_done() const;
  // Whether everything is stored that the files had at some time after the first step().
  bool has_stored_all() const;
  // Whether nothing is on its way, and nothing was left to be read: the caller may pause.
  bool is_waiting() const { return on_the_way_.empty() && !is_reading_; }

  const ShipperCounts& counts() const { return counts_; }
  // What could not be read first: a folder, or a file that was found; empty: all was read.
  const std::string& unread_first() const { return unread_first_; }
  // Asks for the sizes of files.
  ShipperLag lag() const;

 private:
  struct Segment;

  void find_segments();
  void tell_unread(const std::string& why);
  void spend(std::size_t bytes);
  void prepare(Segment& segment);
  void publish(Segment& segment);
  bool store_prepared(Segment& segment);
  std::size_t message_bytes() const;
  void take(const PublishResult& result);
  void take_other_last(Segment& segment);
  void confirm(Segment& segment, std::uint64_t number);
  void report_losses(const Segment& segment, std::uint64_t number);
  void mark(Segment& segment, const std::string& path, std::uint32_t next_file);
  void pass_over(Segment& segment, const std::string& why);
  void retry(Segment& segment, const std::string& why);

  const ShipperOptions options_;
  TraceSegments& trace_segments_;
  PublishQueue& queue_;
  const CursorStore& cursors_;
  const NowMs now_ms_;
  const Complain complain_;
  trace::ReadReport report_;
  trace::OpenFiles files_{report_};
  std::map<SegmentUuid, std::unique_ptr<Segment>> segments_;
  std::map<std::uint64_t, Segment*> on_the_way_;  // by token
  std::uint64_t next_token_ = 1;
  std::size_t bytes_on_the_way_ = 0;
  SegmentUuid last_served_{};
  bool has_looked_ = false;
  bool is_reading_ = false;  // the last step ended before a selected record was found
  std::uint64_t next_look_ms_ = 0;
  std::string look_failure_;  // of the last look
  std::string unread_first_;
  std::size_t notes_said_ = 0;  // of report_
  std::string mark_failure_;    // the last one
  ShipperCounts counts_;
};

}  // namespace ringside::fleet
