#pragma once
// Rewrites one section of a trace file: its valid part, or the part in a time window.

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "tools/files/extent_reencoder.hpp"
#include "tools/files/section_writer.hpp"
#include "trace-format/blocks/block_reader.hpp"
#include "trace-format/blocks/collection_block.hpp"
#include "trace-format/blocks/tick_clock.hpp"
#include "trace-format/codec/extent_decoder.hpp"
#include "trace-format/codec/site_table.hpp"
#include "trace-format/reader/section_scan.hpp"

namespace ringside::tool {

// The selected part of a section.
struct Cut {
  bool everything =
      true;  // false: the members below select, and only sites and streams that occur are kept
  std::uint64_t since_ns = 0;
  std::uint64_t until_ns = std::numeric_limits<std::uint64_t>::max();
  std::function<bool(const trace::StreamBlock&)> stream;  // empty: all
};

// Copies valid and selected data unchanged. If only part of an extent is valid and selected,
// encodes those records again, with their sequence numbers. What is lost by damage stays a gap in
// the sequence numbers: the format represents losses that no service knew of in this way.
class SectionRewriter {
 public:
  // All arguments must outlive it. Damage, and data left out because of it, goes to the report.
  SectionRewriter(trace::TraceFile& file, const trace::SectionScan& scan, const Cut& cut,
                  SectionWriter& writer, trace::ReadReport& report);

  // Reads the whole section. Writes nothing if no part of it is selected.
  void run();

 private:
  void take(const trace::Block& block);
  void take_header(const trace::Block& block);
  void take_dictionary(const trace::Block& block);
  void take_stream(const trace::Block& block);
  void take_extent(const trace::Block& block);
  void take_point(const trace::Block& block);
  void take_losses(const trace::Block& block);
  void take_call_costs(const trace::Block& block);
  void take_collection(const trace::Block& block);
  void note_statements(const trace::CollectionState& state);
  void write_noted_statements();
  void write_earlier_collection();
  void write_entry(std::uint32_t site_id);
  bool is_sound(const trace::Block& block, const trace::ExtentHeader& header);
  bool is_inside(const trace::ExtentHeader& header) const;
  void encode_again(const trace::Block& block, const trace::ExtentHeader& header);
  void write_extent(const trace::ExtentHeader& header, std::span<const std::byte> frame,
                    std::span<const std::byte> payload);
  void announce(std::uint64_t stream_id);
  void write_position(std::uint64_t stream_id, std::uint64_t sequence);
  void leave_out(std::uint64_t offset, const std::string& what);
  bool wants(std::uint64_t tsc) const;
  bool wants_stream(std::uint64_t stream_id);
  void copy(const trace::Block& block);
  void write(std::span<const std::byte> block);
  void open();
  void write_header(const trace::SectionHeader& header);

  trace::TraceFile& file_;
  const trace::SectionScan& scan_;
  const Cut& cut_;
  SectionWriter& writer_;
  trace::ReadReport& report_;

  bool open_ = false;                            // something was written
  std::vector<std::vector<std::byte>> waiting_;  // blocks to write as soon as something is
  bool has_header_ = false;
  bool has_clock_ = false;
  bool stopped_ = false;  // at a critical block of unknown type
  trace::EndReason reason_ = trace::EndReason::kCut;

  trace::SiteTable sites_;
  trace::ExtentDecoder decoder_;
  ExtentReencoder reencoder_;
  mutable trace::TickClock clock_;
  std::map<std::uint32_t, std::vector<std::byte>> entries_;  // entries of sites not yet written
  std::map<std::uint64_t, std::vector<std::byte>>
      stream_blocks_;                                    // the latest block of each stream
  std::set<std::uint64_t> announced_;                    // streams
  std::map<std::uint64_t, std::uint64_t> read_next_;     // by stream
  std::map<std::uint64_t, std::uint64_t> written_next_;  // by stream
  std::uint64_t read_watermark_ = 0;
  std::uint64_t watermark_ = 0;  // last written value
  bool moved_ = false;           // extents were written since
  // Of a cut: the last state before it, with the effects of its rules; and the statements that the
  // state names.
  std::vector<std::vector<std::byte>> earlier_collection_;
  std::vector<std::uint32_t> collected_statements_;
  bool skips_effects_ = false;     // they belong to a state that is left out
  std::vector<std::byte> buffer_;  // for the block under construction
};

}  // namespace ringside::tool
