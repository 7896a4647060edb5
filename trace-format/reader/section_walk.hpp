// The walk through the blocks of one section.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "trace-format/blocks/block_reader.hpp"
#include "trace-format/reader/event_order.hpp"
#include "trace-format/reader/open_section.hpp"
#include "trace-format/reader/section_losses.hpp"

namespace ringside::trace {

// Reads block by block up to a sequence point, adds the later late extents that belong before its
// watermark, and continues from there. It skips extents without wanted records, and blocks that
// sequence points show to be outside the wanted time.
class SectionWalk {
 public:
  // Takes the section's metadata. All must outlive the walk.
  SectionWalk(OpenSection& section, SectionLosses& losses, EventOrder& order);

  // Reads up to the next sequence point, or to the last available block.
  void read_on();
  // The rest of the section is not wanted.
  void abandon();

  bool is_over() const { return progress_ == Progress::kOver; }
  // Nothing is left to read until the file grows.
  bool is_out_of_blocks() const { return progress_ == Progress::kOutOfBlocks; }

  // The section is the last of a growing file.
  void follow();
  void grow();
  void stop_following();
  bool is_following() const { return following_; }
  // Where the next section may begin after a followed one; empty if that is not known.
  std::optional<std::uint64_t> next_section() const { return next_section_; }

 private:
  enum class Progress : std::uint8_t {
    kReading,
    kOutOfBlocks,
    kStopped,  // by a critical block of unknown type, or by the section's end: to be ended
    kOver,
  };

  void choose_range();
  void skim(std::uint64_t end);
  void skim_block(const Block& header);
  bool is_sound(const TimePoint& point);
  void doubt_index(std::uint64_t offset, const std::string& what);
  void load_metadata();
  void end();
  void end_section(std::uint64_t next_section);
  void take_block(const Block& block);
  void take_unknown(const Block& block);
  void take_metadata(const Block& block);
  void take_extent(const Block& block);
  void take_late(std::uint64_t watermark);
  void wait_for(const Block& block, const ExtentHeader& header);

  OpenSection& section_;
  SectionLosses& losses_;
  EventOrder& order_;
  BlockReader blocks_;
  std::size_t next_late_ = 0;
  std::set<std::uint64_t> taken_early_;  // offsets of late extents that the walk will find again
  std::uint64_t end_ = 0;                // of the walk, within the section; 0: not chosen yet
  Progress progress_ = Progress::kReading;
  bool following_ = false;
  bool has_end_block_ = false;
  std::optional<std::uint64_t> next_section_;
};

}  // namespace ringside::trace
