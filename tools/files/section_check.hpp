#pragma once
// Checks whether a section follows the specification (trace-format/README.md): each block alone,
// and the blocks against each other.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "trace-format/blocks/block_reader.hpp"
#include "trace-format/blocks/collection_block.hpp"
#include "trace-format/codec/extent_decoder.hpp"
#include "trace-format/codec/site_table.hpp"

namespace ringside::tool {

// The next sequence number of each stream, by segment: they continue in later sections of the
// segment.
using StreamNumbers =
    std::map<std::pair<std::array<std::uint8_t, 16>, std::uint64_t>, std::uint64_t>;

struct SectionCounts {
  std::uint64_t records = 0;
  std::uint64_t dropped = 0;
  std::uint64_t not_selected = 0;  // left out by a shipper
  std::uint64_t missing = 0;       // gaps in sequence numbers that no block reports
  std::uint64_t gaps = 0;          // findings that report them
  std::uint64_t extents = 0;
  std::uint64_t late_extents = 0;
};

class SectionCheck {
 public:
  // Called with an offset in the file and the fault there.
  using Complain = std::function<void(std::uint64_t offset, std::string what)>;

  // `begin`: offset in the file of the section's first block. All arguments must outlive the check.
  SectionCheck(std::uint64_t begin, StreamNumbers& numbers, Complain complain);

  // Takes blocks in order; the first one is the HEADER, if the section has one.
  void take(const trace::Block& block);

  bool ended() const { return ended_; }
  const SectionCounts& counts() const { return counts_; }

 private:
  struct Late {
    std::uint64_t min_tsc;
    std::uint64_t offset;
    bool operator==(const Late&) const = default;
  };
  struct Point {
    std::uint64_t offset;
    std::uint64_t watermark;
    std::uint64_t largest_before;
    bool operator==(const Point&) const = default;
  };

  void take_header(const trace::Block& block);
  void take_extent(const trace::Block& block);
  void decode(const trace::Block& block, const trace::ExtentHeader& header);
  void take_point(const trace::Block& block);
  void take_collection(const trace::Block& block);
  void take_index(const trace::Block& block);
  void take_end(const trace::Block& block);
  void expect(std::uint64_t offset, std::uint64_t stream_id, std::uint64_t sequence);
  void complain(std::uint64_t offset, std::string what) { complain_(offset, std::move(what)); }

  std::uint64_t begin_;
  StreamNumbers& numbers_;
  Complain complain_;
  SectionCounts counts_;
  std::array<std::uint8_t, 16> uuid_{};
  bool has_header_ = false;
  bool ended_ = false;
  bool has_clock_ = false;
  std::uint64_t watermark_ = 0;
  std::uint64_t min_tsc_ = UINT64_MAX;
  std::uint64_t max_tsc_ = 0;
  std::vector<std::uint64_t> metadata_;
  std::vector<Late> late_;
  std::vector<Point> points_;
  std::map<std::uint64_t, bool> streams_;
  std::uint64_t index_offset_ = 0;  // offset in the file; 0: none
  std::uint64_t behind_index_ = 0;
  trace::CollectionState collection_;  // the last one
  bool has_collection_ = false;
  trace::SiteTable sites_;
  trace::ExtentDecoder decoder_;
};

}  // namespace ringside::tool
