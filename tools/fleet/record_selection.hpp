#pragma once
// Which records a shipper sends, and what remains of a section without the others (README.md,
// "Selections").

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tools/files/extent_reencoder.hpp"
#include "tools/fleet/message_queue.hpp"
#include "tools/fleet/sent_streams.hpp"
#include "tools/query/event_filter.hpp"
#include "tools/query/filter_options.hpp"
#include "tools/query/record_filter.hpp"
#include "trace-format/blocks/block_writer.hpp"
#include "trace-format/blocks/clock_map.hpp"
#include "trace-format/codec/extent_decoder.hpp"
#include "trace-format/codec/site_table.hpp"

namespace ringside::fleet {

using ActivityId = std::array<std::uint8_t, 16>;

// Which records are selected. Not thread-safe.
struct RecordSelection {
  std::unique_ptr<tool::EventFilter> filter;
  std::vector<std::string> services;   // globs, of which one must match; none: all
  std::optional<ActivityId> activity;  // no record without this id is selected
  // Nothing is sent of sections without selected records.
  bool only_sections_with_records = false;

  // `activity`: 32 hexadecimal digits: spans with it, or that it caused; empty: all records. Null
  // with `*why` if an option is invalid.
  static std::unique_ptr<RecordSelection> make(tool::FilterOptions options,
                                               const std::string& activity, std::string* why);
};

// The selected part of one section. Extents keep the numbers of their records; those that are left
// out are counted as kNotSelected before the next extent. Not thread-safe.
class SectionSelection {
 public:
  // `selection` must outlive it.
  SectionSelection(const RecordSelection& selection, const trace::SectionHeader& header);

  // What the section says about its records, before them.
  void add_dictionary(std::span<const std::byte> entries);
  void add_clock(std::span<const std::byte> payload);
  void add_stream(std::span<const std::byte> payload);

  // Appends what is selected of the EXTENT block to `out`: no block, or several.
  void select(std::span<const std::byte> block, SentStreams& sent, Bytes& out);
  // Appends a SEQUENCE_POINT that does not claim what was left out, unless nothing was sent since
  // the last one.
  void select_point(std::span<const std::byte> payload, SentStreams& sent, Bytes& out);

 private:
  void tell_left_out(std::uint64_t stream, SentStream& progress, std::uint64_t tsc, Bytes& out);
  void select_extent(std::span<const std::byte> block, SentStreams& sent, Bytes& out);
  bool wants_some(std::span<const std::byte> payload) const;
  bool wants_all(const trace::ExtentHeader& header) const;
  bool wants(const trace::Record& record);
  bool is_in_time(std::uint64_t tsc) const;

  const RecordSelection& selection_;
  const tool::EventFilter& filter_;
  const trace::ReadOptions options_;
  tool::RecordFilter record_filter_{filter_};
  trace::SegmentInfo segment_;
  trace::SiteTable sites_;
  trace::ClockMap clocks_;
  std::map<std::uint64_t, trace::StreamInfo> streams_;
  trace::ExtentDecoder decoder_;
  tool::ExtentReencoder reencoder_;
  Bytes kept_;  // of the present extent
  std::uint64_t watermark_ = 0;
  trace::Event event_;
};

}  // namespace ringside::fleet
