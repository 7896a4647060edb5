#pragma once
// Counts a trace's records, bytes and losses: by stream, by statement, by interval.

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "trace-format/reader/trace_event.hpp"

namespace ringside::tool {

// By cause, indexed by trace::LossCause.
using LossTally = std::array<std::uint64_t, static_cast<std::size_t>(shm::kLastLossCause) + 1>;

struct Tally {
  std::uint64_t records = 0;
  // Size of the records in their rings: the head and each argument in its natural size.
  std::uint64_t ring_bytes = 0;
  std::uint64_t lost = 0;
  // Some causes count records that exist (too large, late) or were not wanted (sampled): these are
  // not part of `lost`.
  LossTally by_cause{};
};

struct StreamStats : Tally {
  std::uint32_t number = 0;     // in the order in which they occur, from 0
  std::uint64_t stream_id = 0;  // 0: losses of threads without a ring
  std::string service;
  std::uint32_t pid = 0;
  std::uint32_t thread_id = 0;
  std::string thread_name;
};

// A statement, over all processes of one service; with an empty text: unknown statements.
struct SiteStats : Tally {
  std::uint32_t number = 0;  // in the order in which they occur, from 0
  std::string service;
  std::string file;
  std::uint32_t line = 0;
  std::uint8_t level = 0;
  std::string text;  // its format, or its name if it has no format
};

// Not thread-safe. Memory is bounded by the streams, statements and intervals that occur; an
// interval without events takes none.
class TraceStats {
 public:
  // `interval_ns`: 0 for no table of intervals.
  explicit TraceStats(std::uint64_t interval_ns) : interval_ns_(interval_ns) {}

  // Where an event was counted. Both live as long as the statistics.
  struct Place {
    const StreamStats* stream = nullptr;  // null for a loss by site
    const SiteStats* site = nullptr;      // null for a loss by stream
  };
  Place add(const trace::Event& event);

  const Tally& total() const { return total_; }
  std::uint64_t first_ns() const {
    return first_ns_;
  }  // of records; greater than last_ns() if there are none
  std::uint64_t last_ns() const { return last_ns_; }

  std::vector<const StreamStats*> streams() const;  // by service, process, thread
  std::vector<const SiteStats*> sites()
      const;  // ordered by the number of records, lost or not, highest first
  // Indexed by the beginning of each interval.
  const std::map<std::uint64_t, Tally>& intervals() const { return intervals_; }

 private:
  using StreamKey = std::tuple<std::array<std::uint8_t, 16>, std::uint64_t>;  // uuid, stream id
  using SiteKey = std::tuple<std::string, std::string, std::uint32_t, std::string>;
  // An address is valid only within its section.
  struct Seen {
    const void* address = nullptr;
    std::uint32_t section = 0;
    bool operator==(const Seen&) const = default;
  };
  struct SeenHash {
    std::size_t operator()(const Seen& seen) const;
  };
  // Finds the item last counted for an address, without comparing its texts. The most recent items
  // are found without searching the table.
  template <class Stats>
  class Shortcuts {
   public:
    // `find` gets the Stats& of an unknown address.
    template <class Find>
    Stats& of(const Seen& seen, Find&& find);

   private:
    struct Recent {
      Seen seen;
      Stats* stats = nullptr;
    };
    static constexpr unsigned kRecentBits = 6;

    std::array<Recent, 1U << kRecentBits> recent_;
    std::unordered_map<Seen, Stats*, SeenHash> known_;
  };

  StreamStats& find_stream(const trace::Event& event);
  SiteStats& find_site(const trace::Event& event);
  StreamStats& stream_of(const trace::Event& event);
  SiteStats& site_of(const trace::Event& event);
  Tally& interval_of(std::uint64_t unix_ns);

  const std::uint64_t interval_ns_;
  Tally total_;
  std::uint64_t first_ns_ = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t last_ns_ = 0;
  std::map<StreamKey, StreamStats> streams_;
  std::map<SiteKey, SiteStats> sites_;
  std::map<std::uint64_t, Tally> intervals_;
  Shortcuts<StreamStats> seen_streams_;
  Shortcuts<SiteStats> seen_sites_;
  std::uint64_t interval_begin_ = 1;  // of interval_: initially none
  Tally* interval_ = nullptr;
};

// The record's size in its ring. The bytes of an extension are not included: a trace file does not
// contain that size.
std::uint64_t ring_bytes_of(const trace::Record& record);

}  // namespace ringside::tool
