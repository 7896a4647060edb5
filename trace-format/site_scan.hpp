// Visits the records of chosen sites of a trace file, in the order in which they lie there: for
// questions whose answer does not depend on the order of streams.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "trace-format/block_reader.hpp"
#include "trace-format/extent_decoder.hpp"
#include "trace-format/read_options.hpp"
#include "trace-format/read_report.hpp"
#include "trace-format/read_window.hpp"
#include "trace-format/section_scan.hpp"
#include "trace-format/site_choice.hpp"
#include "trace-format/site_table.hpp"
#include "trace-format/tick_clock.hpp"
#include "trace-format/trace_event.hpp"
#include "trace-format/trace_file.hpp"

namespace ringside::trace {

// Not thread-safe; one run. Memory is bounded by one extent and the dictionaries. Any bytes may
// come: damage is skipped and reported, as by TraceSet.
class SiteScan {
 public:
  // Empty with `*error` if the file cannot be read or holds no trace.
  static std::optional<SiteScan> open(const std::string& path, ReadError* error);

  // From now on run() passes by what does not lie in [since_ns, until_ns) or belongs to a stream
  // that `options` does not want; the rest of them does not count. They must outlive run().
  void narrow(const ReadOptions& options) { options_ = &options; }

  // Choose(const Site&, SiteChoice&), called for all sites of a section, adds to the choice those
  // that count, with the fields that are looked at. Visit(const RecordView&, TickClock&) is then
  // called for their records; the clock makes wall-clock time of a record's tsc. A record's values
  // are views that die with the visit; values of fields that were not asked for are undefined.
  template <class Choose, class Visit>
  void run(Choose&& choose, Visit&& visit) {
    for (SectionScan& section : sections_) {
      begin(section);
      SiteChoice choice;
      sites_->for_each([&](const Site& site) { choose(site, choice); });
      if (choice.empty()) continue;
      while (next_extent(section, choice)) {
        decoder_->for_each([&, by_time = window_.has_value()](const RecordView& record) {
          if (by_time && !window_->contains(clock_.unix_ns(record.tsc))) return;
          visit(record, clock_);
        });
        end_extent();
      }
    }
  }

  // Visit(const Site&) for all sites of all sections, before run(). Sites live during the visit; of
  // segment() it is the one that they belong to.
  template <class Visit>
  void for_each_site(Visit&& visit) {
    for (SectionScan& section : sections_) {
      begin(section);
      sites_->for_each([&](const Site& site) { visit(site); });
    }
  }

  // During a call of run() or for_each_site(): of the present section, and of the record visited.
  const SegmentInfo& segment() const { return *segment_; }
  const StreamInfo& stream() const { return stream_->info; }

  // In numbers of records only what run() has met; see `damaged_blocks` and `notes` for the rest.
  const ReadReport& report() const { return *report_; }

 private:
  SiteScan() = default;
  void begin(SectionScan& section);
  void choose_range(SectionScan& section);
  bool find_range(const SectionScan& section);
  bool is_sound(const TimePoint& point);
  bool is_sound(const LateExtent& late);
  void load_metadata(const SectionScan& section);
  bool next_extent(const SectionScan& section, SiteChoice& choice);  // with a chosen site
  bool next_block(const SectionScan& section, Block& block);
  bool is_wanted(const ExtentHeader& header);
  void take_stream(const Block& block);
  void end_extent();

  std::unique_ptr<TraceFile> file_;
  std::unique_ptr<ReadReport> report_;
  std::vector<SectionScan> sections_;
  std::unique_ptr<SiteTable> sites_;  // of the present section, as is all below
  std::unique_ptr<BlockReader> blocks_;
  std::unique_ptr<BlockReader> far_blocks_;  // of the whole section
  const ReadOptions* options_ = nullptr;     // null: all is wanted
  std::optional<ReadWindow> window_;         // if there is a span of time
  std::size_t next_late_ = 0;                // of those behind the range that is read
  std::unique_ptr<ExtentDecoder> decoder_;
  TickClock clock_;
  const SegmentInfo* segment_ = nullptr;
  struct Stream {
    StreamInfo info;
    std::optional<bool> wanted;  // empty: not asked yet
  };
  std::map<std::uint64_t, Stream> streams_;  // by id
  const Stream* stream_ = nullptr;
  std::uint64_t extent_offset_ = 0;
};

}  // namespace ringside::trace
