// What was collected over time, according to the COLLECTION blocks of trace files.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "trace-format/blocks/collection_block.hpp"
#include "trace-format/blocks/read_report.hpp"
#include "trace-format/blocks/trace_file.hpp"
#include "trace-format/codec/site_table.hpp"
#include "trace-format/reader/section_scan.hpp"
#include "trace-format/reader/trace_event.hpp"

namespace ringside::trace {

// In force from until_ns on, up to the next one.
struct CollectedSpan {
  CollectionState state;  // its changes are those that no earlier span has
  std::uint64_t since_ns = 0;
  std::uint64_t until_ns = 0;
  std::uint64_t level_deadline_ns = 0;                // 0: none
  std::vector<std::uint64_t> statement_deadlines_ns;  // one for each of state.statements; 0: none
  std::vector<std::uint64_t> changes_ns;              // one for each of state.changes
  std::map<std::uint32_t, RuleEffect> effects;        // by site

  // Of a statement at `unix_ns`, which this span covers.
  StatementState state_of(const Site& site, std::uint64_t unix_ns) const;
};

struct CollectedSegment {
  std::shared_ptr<const SegmentInfo> segment;
  std::unique_ptr<SiteTable> sites;  // of all its sections
  std::vector<CollectedSpan> spans;  // by time; each differs from the one before
};

// Not thread-safe. The bytes are untrusted: damage is skipped and reported. Memory is bounded by
// the dictionaries and 64 MiB of blocks; further ones are left out, which is noted.
class CollectionHistory {
 public:
  // Adds a file. False with `*error` if it cannot be read or is not a trace.
  bool add(const std::string& path, ReadError* error);
  bool add(TraceFile& file, ReadError* error);
  // Call when all files are added.
  void finish();

  // In the order in which they were found; also those of which no block says anything.
  const std::vector<CollectedSegment>& segments() const { return segments_; }
  // Null if the files have no such segment.
  const CollectedSegment* find(const std::array<std::uint8_t, 16>& uuid) const;
  const ReadReport& report() const { return report_; }

 private:
  static constexpr std::size_t kMostBlockBytes = std::size_t{64} << 20;

  CollectedSegment& segment_of(const SectionScan& section);
  void read_section(TraceFile& file, const SectionScan& section);
  void take(const SectionScan& section, std::uint64_t offset, const std::string& path,
            std::span<const std::byte> payload, std::optional<std::size_t>* present,
            CollectedSegment& segment);

  std::vector<CollectedSegment> segments_;
  std::map<std::array<std::uint8_t, 16>, std::size_t> by_uuid_;
  std::size_t block_bytes_ = 0;
  ReadReport report_;
};

}  // namespace ringside::trace
