#pragma once
// The list of records: all of them if they fit, else a selection.

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "shm-layout/level.hpp"
#include "tools/report/known_moments.hpp"
#include "tools/report/record_forms.hpp"
#include "tools/report/record_objects.hpp"
#include "tools/report/record_thinning.hpp"
#include "tools/report/report_part.hpp"
#include "tools/report/section_packer.hpp"

namespace ringside::tool {

// Why a record is in the list.
enum class KeptFor : std::uint8_t {
  kAll,      // the records of the trace fit
  kFirst,    // one of the first
  kLast,     // one of the last
  kTrigger,  // around a trigger or another change of what is collected, in that process
  kLoss,     // losses, and the records of that thread after them
  kError,    // ERROR and above
  kWarning,
  kSample,  // the first of its statement in an interval of the grid
};
inline constexpr std::size_t kKeptReasons = 8;

// Memory: the kept records, and what RecordForms keeps.
class RecordPart final : public ReportPart {
 public:
  static constexpr std::size_t kChunkRecords = 2'000;
  // All records are kept up to these limits.
  static constexpr std::size_t kMostRecords = 60'000;
  static constexpr std::size_t kMostTextBytes = std::size_t{40} << 20;
  static constexpr std::size_t kMostPackedBytes = 3'000'000;
  // Limits of the selection.
  static constexpr std::size_t kMostSelectedBytes = std::size_t{12} << 20;
  static constexpr std::size_t kFirstRecords = 1'000;
  static constexpr std::size_t kMostErrors = 4'000;
  static constexpr std::size_t kMostWarnings = 2'000;
  static constexpr std::size_t kMostSamples = 8'000;
  static constexpr std::size_t kMostLosses = 1'000;
  static constexpr std::size_t kAfterLoss = 10;
  static constexpr std::size_t kMostWindows = 32;
  static constexpr std::size_t kAroundTrigger = 50;  // before, and as many after
  static constexpr std::uint64_t kTriggerNs = 1'000'000'000;

  explicit RecordPart(const KnownMoments& moments);

  void add(const ReportEvent& event) override;

  struct Documents {
    std::string index;                // README.md, "records"
    std::vector<std::string> chunks;  // arrays of objects
  };
  // `most_packed`: bytes of all of them together, when packed. Call it once, at the end.
  Documents documents(const TimeGrid& grid, std::size_t most_packed, SectionPacker& packer);

 private:
  static constexpr unsigned kShiftBits = 6;

  struct Kept {
    std::uint64_t order = 0;
    std::uint64_t unix_ns = 0;
    std::uint64_t place = 0;  // of those with its reason, before thinning
    std::int32_t statement = -1;
    std::int32_t stream = -1;
    std::int32_t form = -1;
    std::int32_t context = -1;
    KeptFor reason = KeptFor::kAll;
    bool is_cut = false;
    bool is_dropped = false;
    std::string json;
  };
  struct AfterLoss {
    std::uint64_t place = 0;  // of the loss
    std::size_t left = 0;     // how many records are still to be kept
  };
  // Around a moment, in one process.
  struct Window {
    std::uint64_t unix_ns = 0;
    std::array<std::uint8_t, 16> segment{};
    std::deque<std::uint64_t> before;  // orders of kept records
    std::size_t after = 0;
  };

  // Of a selection, most records are not: none of the reasons can apply.
  bool is_left_out(const ReportEvent& event) const {
    const std::uint32_t number = event.place.site->number;
    return !has_all_ && records_ >= kFirstRecords && event.event.unix_ns < last_from_ns_ &&
           number < sampled_.size() && sampled_[number] == sample_key(event) &&
           streams_after_loss_ == 0 && first_window_ == windows_.size() &&
           event.event.record.site->level < shm::Level::kWarning;
  }
  // Of an interval, until the grid becomes coarser.
  std::uint32_t sample_key(const ReportEvent& event) const {
    return static_cast<std::uint32_t>((event.interval >> coarse_ << kShiftBits) |
                                      (event.grid.shift() & ((1U << kShiftBits) - 1)));
  }
  void add_loss(const ReportEvent& event);
  // Whether the record is kept, and if so, why.
  bool is_wanted(const ReportEvent& event, KeptFor* reason, std::uint64_t* place);
  bool is_after_loss(const ReportEvent& event, std::uint64_t* place);
  bool is_around_moment(const ReportEvent& event);
  bool is_sample(const ReportEvent& event);
  void keep(const ReportEvent& event, KeptFor reason, std::uint64_t place);
  void release(std::uint64_t order);
  void select_only();
  void shrink(bool is_too_large);
  std::size_t thin_samples();
  template <class IsWanted>
  void retain(IsWanted&& is_wanted);
  std::string index_json(const TimeGrid& grid, SectionPacker& packer);
  bool fits(const Documents& documents, std::size_t most_packed, SectionPacker& packer) const;
  std::vector<std::string> chunks() const;

  RecordForms forms_;
  RecordObjects objects_;
  std::vector<Kept> kept_;  // by order
  std::size_t dropped_ = 0;
  std::size_t text_bytes_ = 0;
  std::size_t most_text_ = RecordObjects::kMostTextBytes;
  bool has_all_;  // so far
  std::uint64_t order_ = 0;
  std::uint64_t records_ = 0;
  unsigned thinned_ = 0;  // how often all records were halved, regardless of their reasons
  std::array<std::uint64_t, kKeptReasons> seen_{};
  Thinning errors_{kMostErrors};
  Thinning warnings_{kMostWarnings};
  Thinning losses_{kMostLosses};
  std::vector<AfterLoss> after_loss_;  // by stream
  std::size_t streams_after_loss_ = 0;
  std::uint64_t last_from_ns_;
  std::size_t last_kept_ = 0;
  std::vector<Window> windows_;  // by time
  std::size_t first_window_ = 0;
  std::vector<std::uint32_t>
      sampled_;          // by statement: the interval of its last sample, and the shift
  unsigned coarse_ = 0;  // 2^coarse_ intervals of the grid have one sample
  std::size_t samples_ = 0;
  const TimeGrid* grid_ = nullptr;
};

}  // namespace ringside::tool
