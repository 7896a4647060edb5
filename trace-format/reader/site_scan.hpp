// Visits the records of selected sites of a trace file, in file order: for queries whose answer
// does not depend on the order of streams.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "trace-format/blocks/block_reader.hpp"
#include "trace-format/blocks/read_report.hpp"
#include "trace-format/blocks/tick_clock.hpp"
#include "trace-format/blocks/trace_file.hpp"
#include "trace-format/codec/extent_decoder.hpp"
#include "trace-format/codec/site_choice.hpp"
#include "trace-format/codec/site_table.hpp"
#include "trace-format/reader/read_options.hpp"
#include "trace-format/reader/read_window.hpp"
#include "trace-format/reader/section_scan.hpp"
#include "trace-format/reader/trace_event.hpp"

namespace ringside::trace {

// Not thread-safe; for one run. Memory is bounded by one extent and the dictionaries. The bytes are
// untrusted: damage is skipped and reported, as in TraceSet.
class SiteScan {
 public:
  // Empty with `*error` if the file cannot be read or is not a trace.
  static std::optional<SiteScan> open(const std::string& path, ReadError* error);
  static std::optional<SiteScan> open(std::unique_ptr<TraceFile> file, ReadError* error);

  // After this call run() skips records outside [since_ns, until_ns) and of streams that `options`
  // does not select; the other options have no effect. The options must outlive run().
  void narrow(const ReadOptions& options) { options_ = &options; }

  // Calls choose(const Site&, SiteChoice&) for all sites of a section; it adds the selected sites
  // to the choice, with the fields that it reads. Then calls visit(const RecordView&, TickClock&)
  // for their records; the clock converts a record's tsc to wall-clock time. A record's values are
  // views that live during the visit; values of other fields are undefined.
  template <class Choose, class Visit>
  void run(Choose&& choose, Visit&& visit) {
    for (SectionScan& section : sections_) {
      begin(section);
      SiteChoice choice;
      // The contexts first: with their fields, records of other sites may be wanted.
      for (const bool is_context : {true, false}) {
        sites_->for_each([&](const Site& site) {
          if ((site.kind == shm::SiteKind::kContext) == is_context) choose(site, choice);
        });
      }
      // The walk over the blocks reports what is damaged: a choice from a damaged dictionary is no
      // reason to skip it.
      if (choice.empty() && !lacks_metadata_) continue;
      while (next_extent(section, choice)) {
        decoder_->for_each([&, by_time = window_.has_value()](const RecordView& record) {
          if (by_time && !window_->contains(clock_.unix_ns(record.tsc))) return;
          visit(record, clock_);
        });
        end_extent();
      }
    }
  }

  // Calls visit(const Site&) for all sites of all sections; call it before run(). Sites live during
  // the visit; segment() is the segment that they belong to.
  template <class Visit>
  void for_each_site(Visit&& visit) {
    for (SectionScan& section : sections_) {
      begin(section);
      sites_->for_each([&](const Site& site) { visit(site); });
    }
  }

  // Calls visit(const StreamInfo&) for the streams that the sections describe, likewise.
  template <class Visit>
  void for_each_stream(Visit&& visit) {
    for (SectionScan& section : sections_) {
      begin(section);
      for (const auto& [id, stream] : streams_) visit(stream.info);
    }
  }

  // During run(), for_each_site() or for_each_stream(): the present section, and the stream of the
  // visited record.
  const SegmentInfo& segment() const { return *segment_; }
  const StreamInfo& stream() const { return stream_->info; }
  // The code of the visited record's processor.
  std::uint32_t processor() const { return decoder_->header().processor(); }

  // Its numbers of records cover only records that run() has read; see `damaged_blocks` and `notes`
  // for the rest.
  const ReadReport& report() const { return *report_; }

 private:
  SiteScan() = default;
  void begin(SectionScan& section);
  void choose_range(SectionScan& section);
  bool find_range(const SectionScan& section);
  bool is_sound(const TimePoint& point);
  bool is_sound(const LateExtent& late);
  void load_metadata(const SectionScan& section);
  bool next_extent(const SectionScan& section, SiteChoice& choice);  // with a selected site
  bool next_block(const SectionScan& section, Block& block);
  bool is_wanted(const ExtentHeader& header);
  void take_stream(const Block& block);
  void end_extent();

  std::unique_ptr<TraceFile> file_;
  std::unique_ptr<ReadReport> report_;
  std::vector<SectionScan> sections_;
  std::unique_ptr<SiteTable> sites_;  // of the present section, like all members below
  std::unique_ptr<BlockReader> blocks_;
  std::unique_ptr<BlockReader> far_blocks_;  // of the whole section
  const ReadOptions* options_ = nullptr;     // null: everything is wanted
  std::optional<ReadWindow> window_;         // if there is a span of time
  std::size_t next_late_ = 0;                // of those after the range that is read
  bool lacks_metadata_ = false;              // a block of it cannot be read
  std::unique_ptr<ExtentDecoder> decoder_;
  TickClock clock_;
  const SegmentInfo* segment_ = nullptr;
  struct Stream {
    StreamInfo info;
    std::optional<bool> wanted;  // empty: not yet known
  };
  std::map<std::uint64_t, Stream> streams_;  // by id
  const Stream* stream_ = nullptr;
  std::uint64_t extent_offset_ = 0;
};

}  // namespace ringside::trace
