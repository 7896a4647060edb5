#pragma once
// How many records, bytes and losses a trace has: by stream, by statement, by interval.

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "trace-format/trace_event.hpp"

namespace ringside::tool {

// By cause, indexed by trace::LossCause.
using LossTally =
    std::array<std::uint64_t, static_cast<std::size_t>(trace::LossCause::kSampled) + 1>;

struct Tally {
  std::uint64_t records = 0;
  // What the records took in their rings: the head and each argument in its natural size.
  std::uint64_t ring_bytes = 0;
  std::uint64_t lost = 0;
  // Causes that cost no record count records that are there (too large, late) or were not wanted
  // (sampled): not part of `lost`.
  LossTally by_cause{};
};

struct StreamStats : Tally {
  std::uint64_t stream_id = 0;  // 0: losses of threads without a ring
  std::string service;
  std::uint32_t pid = 0;
  std::uint32_t thread_id = 0;
  std::string thread_name;
};

// A statement, of all processes of one service; without a text: statements that are not known.
struct SiteStats : Tally {
  std::string service;
  std::string file;
  std::uint32_t line = 0;
  std::uint8_t level = 0;
  std::string text;  // its format, or its name without one
};

// Not thread-safe. Memory is bounded by the streams, statements and intervals that occur; an
// interval without events takes none.
class TraceStats {
 public:
  // `interval_ns`: 0 for no table of intervals.
  explicit TraceStats(std::uint64_t interval_ns) : interval_ns_(interval_ns) {}

  void add(const trace::Event& event);

  const Tally& total() const { return total_; }
  std::uint64_t first_ns() const { return first_ns_; }  // of records; above last_ns() without any
  std::uint64_t last_ns() const { return last_ns_; }

  std::vector<const StreamStats*> streams() const;  // by service, process, thread
  std::vector<const SiteStats*> sites() const;      // the most records, lost or not, first
  // By the time at which each interval begins.
  const std::map<std::uint64_t, Tally>& intervals() const { return intervals_; }

 private:
  using StreamKey = std::tuple<std::array<std::uint8_t, 16>, std::uint64_t>;  // uuid, stream id
  using SiteKey = std::tuple<std::string, std::string, std::uint32_t, std::string>;
  // An address means something within its section only.
  struct Seen {
    const void* address = nullptr;
    std::uint32_t section = 0;
    bool operator==(const Seen&) const = default;
  };
  struct SeenHash {
    std::size_t operator()(const Seen& seen) const;
  };
  // What was counted last for an address, without comparing its texts. What was asked for a moment
  // ago is at hand without a look at the table.
  template <class Stats>
  class Shortcuts {
   public:
    // `find` gives the Stats& of what is not known.
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
  std::uint64_t interval_begin_ = 1;  // of interval_: nothing at first
  Tally* interval_ = nullptr;
};

// What the record took in its ring. An extension's bytes are left out: a trace file does not tell
// them.
std::uint64_t ring_bytes_of(const trace::Record& record);

}  // namespace ringside::tool
