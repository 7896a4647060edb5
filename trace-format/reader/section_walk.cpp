#include "trace-format/reader/section_walk.hpp"

#include <algorithm>

#include "trace-format/blocks/block_writer.hpp"

namespace ringside::trace {
namespace {

// The site table of an extent, empty if it has no valid one.
std::span<const std::byte> site_ids(const Block& block, const ExtentHeader& header) {
  const auto rest = block.payload.subspan(kExtentHeaderBytes);
  return rest.subspan(std::min<std::size_t>(header.records_bytes, rest.size()));
}

}  // namespace

SectionWalk::SectionWalk(OpenSection& section, SectionLosses& losses, EventOrder& order)
    : section_(section),
      losses_(losses),
      order_(order),
      blocks_(section.file(), section.scan().begin, section.scan().end, &section.report()) {
  choose_range();
  load_metadata();
  if (section_.options().end_bytes != 0) skim(blocks_.position());
}

// The part of the section that may contain the wanted time, according to its sequence points.
void SectionWalk::choose_range() {
  const SectionScan& scan = section_.scan();
  const TimePoint* first = nullptr;
  const TimePoint* last = nullptr;
  for (const TimePoint& point : scan.points) {
    if (section_.window().ends_before(point.max_tsc_before)) first = &point;
    if (last == nullptr && section_.window().begins_after(point.watermark)) last = &point;
  }
  const bool is_empty = first != nullptr && last != nullptr && last->offset < first->offset;
  if ((first != nullptr && !is_sound(*first)) || (last != nullptr && !is_sound(*last)) ||
      is_empty) {
    if (scan.indexed)
      return doubt_index((first != nullptr ? first : last)->offset,
                         "no sequence point at a listed offset");
    first = last = nullptr;  // misleading headers: read the whole section
  }
  end_ = last != nullptr ? last->offset : scan.end;
  // What skim() finds is as good as reading from the beginning.
  if (first != nullptr && section_.options().end_bytes == 0) losses_.begin_inside();
  blocks_.set_range(first != nullptr ? first->offset : scan.begin, end_);
}

bool SectionWalk::is_sound(const TimePoint& point) {
  Block block;
  std::uint64_t watermark = 0;
  return section_.read_at(point.offset, block) && block.frame.type == BlockType::kSequencePoint &&
         parse_watermark(block.payload, watermark) && watermark == point.watermark;
}

// The section's blocks contradict its index, so none of it is reliable.
void SectionWalk::doubt_index(std::uint64_t offset, const std::string& what) {
  if (!section_.scan().indexed) return;
  section_.note(offset, "invalid index of the section: " + what,
                "reading its blocks one by one instead");
  order_.settle();
  const bool begun = end_ != 0;
  section_.rescan();
  next_late_ = 0;
  if (begun) {
    // Blocks before this position are already skipped; blocks after it may be wanted after all.
    end_ = section_.scan().end;
    blocks_.set_end(end_);
    load_metadata();
  } else {
    choose_range();
  }
}

// Before everything else, because a late extent is read before the dictionary entries that precede
// it.
void SectionWalk::load_metadata() {
  const SectionScan& scan = section_.scan();
  for (std::size_t i = 0; i < scan.metadata.size(); ++i) {
    Block block;
    if (!section_.read_at(scan.metadata[i], block)) {
      if (!scan.indexed) continue;
      doubt_index(scan.metadata[i], "a damaged block at a listed offset");
      return;
    }
    section_.take_metadata(block);
  }
}

// Takes everything up to `end` that later events depend on, without reading extents: sequence
// numbers, losses, and the time of each stream's last record.
void SectionWalk::skim(std::uint64_t end) {
  BlockReader headers(section_.file(), section_.scan().begin, end, nullptr);
  Block header;
  while (progress_ == Progress::kReading && headers.next_header(header, kExtentHeaderBytes)) {
    skim_block(header);
  }
}

void SectionWalk::skim_block(const Block& header) {
  switch (header.frame.type) {
    case BlockType::kExtent: {
      ExtentHeader extent;
      if (!ExtentHeader::parse(header.payload, extent)) return;
      // A header is not checked, unless it contradicts the sequence point that precedes `end`.
      Block whole;
      const bool is_likely =
          section_.window().ends_before(std::max(extent.base_tsc, extent.max_tsc));
      if (!is_likely && !section_.read_at(header.offset, whole)) return;
      losses_.take_numbers(extent);
      SectionCatalog::Stream& stream = section_.catalog().stream(extent.stream_id);
      if (!stream.wanted) return;
      losses_.take_dropped(extent);
      stream.last_tsc = std::max(stream.last_tsc, extent.max_tsc);
      return;
    }
    case BlockType::kLosses:
    case BlockType::kStream: {
      Block block;
      if (!section_.read_at(header.offset, block)) return;
      if (block.frame.type == BlockType::kLosses) return losses_.take_losses(block);
      return section_.take_metadata(block);
    }
    case BlockType::kSequencePoint:  // those that follow show the same gaps
    case BlockType::kHeader:
    case BlockType::kDictionary:
    case BlockType::kClock:
    case BlockType::kCollection:
    case BlockType::kCallCosts:
    case BlockType::kShipped:
    case BlockType::kStackTable:
    case BlockType::kStringTable:
    case BlockType::kIndex:
    case BlockType::kEnd:
      return;
  }
  Block block;
  if (section_.read_at(header.offset, block)) take_unknown(block);
}

void SectionWalk::read_on() {
  Block block;
  while (progress_ != Progress::kStopped && blocks_.next(block)) {
    if (block.frame.type != BlockType::kSequencePoint) {
      take_block(block);
      continue;
    }
    std::uint64_t watermark = 0;
    if (!parse_watermark(block.payload, watermark)) continue;
    losses_.take_positions(block, watermark);
    take_late(watermark);
    order_.raise_limit(section_.clocks().unix_ns(watermark));
    return;
  }
  if (following_ && progress_ != Progress::kStopped) {
    progress_ = Progress::kOutOfBlocks;
  } else {
    end();
  }
}

void SectionWalk::end() {
  const bool to_its_end = end_ == section_.scan().end;
  if (!to_its_end) {
    take_late(kForever);
  } else if (!has_end_block_) {
    ++section_.report().sections_without_end;
  }
  losses_.close(to_its_end);
  order_.remove_limit();
  progress_ = Progress::kOver;
}

void SectionWalk::abandon() {
  if (is_over()) return;
  progress_ = Progress::kOver;
  losses_.abandon();
}

void SectionWalk::take_block(const Block& block) {
  switch (block.frame.type) {
    case BlockType::kDictionary:
    case BlockType::kClock:
    case BlockType::kStream:
      take_metadata(block);
      return;
    case BlockType::kExtent:
      take_extent(block);
      return;
    case BlockType::kLosses:
      losses_.take_losses(block);
      return;
    case BlockType::kCallCosts:
      section_.take_call_costs(block);
      return;
    case BlockType::kEnd:
      has_end_block_ = true;
      if (following_) end_section(block.offset + block.frame.block_bytes());
      return;
    case BlockType::kHeader:
      if (following_ && block.offset != section_.scan().begin) end_section(block.offset);
      return;
    case BlockType::kSequencePoint:
    case BlockType::kCollection:
    case BlockType::kShipped:
    case BlockType::kStackTable:
    case BlockType::kStringTable:
    case BlockType::kIndex:
      return;
  }
  take_unknown(block);
}

void SectionWalk::take_unknown(const Block& block) {
  ++section_.report().skipped_blocks;
  if ((block.frame.flags & kBlockCritical) != 0) {
    section_.note(block.offset,
                  "a critical block has the unknown type " +
                      std::to_string(static_cast<unsigned>(block.frame.type)) +
                      ": the rest of the section cannot be read",
                  "use a newer ringcat");
    ++section_.report().damaged_blocks;
    section_.report().damaged_bytes += block.frame.block_bytes();
    progress_ = Progress::kStopped;
  }
}

void SectionWalk::take_metadata(const Block& block) {
  const SectionScan& scan = section_.scan();
  if (std::binary_search(scan.metadata.begin(), scan.metadata.end(), block.offset)) {
    // A second STREAM block for a stream applies from here.
    if (block.frame.type == BlockType::kStream) section_.take_metadata(block);
    return;
  }
  if (scan.indexed) {
    doubt_index(block.offset, "a block is not listed");
    return;
  }
  order_.settle();
  ClockPoint point;
  if (block.frame.type != BlockType::kClock) {
    section_.take_metadata(block);
  } else if (following_ && ClockPoint::parse(block.payload, point)) {
    section_.add_clock(point);
  }
}

// A followed section has no end that is known in advance.
void SectionWalk::end_section(std::uint64_t next_section) {
  next_section_ = next_section;
  progress_ = Progress::kStopped;
}

void SectionWalk::take_extent(const Block& block) {
  ExtentHeader header;
  if (!ExtentHeader::parse(block.payload, header)) {
    section_.note(block.offset, "an extent is shorter than its header", "its records are lost");
    ++section_.report().damaged_blocks;
    return;
  }
  if (section_.scan().indexed && !section_.catalog().knows(site_ids(block, header))) {
    // doubt_index() walks the headers, which invalidates `block`: so read it again.
    doubt_index(block.offset, "a dictionary block is not listed");
    Block again;
    if (section_.read_at(block.offset, again)) take_extent(again);
    return;
  }
  losses_.take_numbers(header);
  if (taken_early_.erase(block.offset) == 0) wait_for(block, header);
}

void SectionWalk::wait_for(const Block& block, const ExtentHeader& header) {
  ++section_.report().extents;
  SectionCatalog::Stream& stream = section_.catalog().stream(header.stream_id);
  if (!stream.wanted) return;
  losses_.take_dropped(header);
  stream.last_tsc = std::max(stream.last_tsc, header.max_tsc);
  if (header.records == 0 || section_.window().ends_before(header.max_tsc) ||
      section_.window().begins_after(header.min_tsc) ||
      !section_.catalog().wants(site_ids(block, header),
                                block.payload.subspan(kExtentHeaderBytes))) {
    return;
  }
  order_.add(block, header);
}

// Takes the later extents that belong before the watermark.
void SectionWalk::take_late(std::uint64_t watermark) {
  const SectionScan& scan = section_.scan();
  for (; next_late_ < scan.late.size(); ++next_late_) {
    const LateExtent late = scan.late[next_late_];
    if (late.min_tsc >= watermark || section_.window().begins_after(late.min_tsc)) return;
    if (late.offset < blocks_.position() || taken_early_.contains(late.offset)) continue;
    Block block;
    ExtentHeader header;
    // A damaged one is left to the walk, which reports it.
    const bool sound = section_.read_at(late.offset, block) &&
                       block.frame.type == BlockType::kExtent &&
                       ExtentHeader::parse(block.payload, header);
    if (scan.indexed && (!sound || header.min_tsc != late.min_tsc)) {
      doubt_index(late.offset, "no late extent at a listed offset");
      return take_late(watermark);
    }
    if (!sound) continue;
    taken_early_.insert(late.offset);
    wait_for(block, header);
  }
}

void SectionWalk::follow() {
  following_ = true;
  blocks_.set_growing(true);
}

void SectionWalk::grow() {
  if (!following_ || is_over()) return;
  section_.grow();
  end_ = section_.scan().end;
  blocks_.set_end(end_);
  progress_ = Progress::kReading;
}

void SectionWalk::stop_following() {
  following_ = false;
  blocks_.set_growing(false);
  if (is_out_of_blocks()) progress_ = Progress::kReading;
}

}  // namespace ringside::trace
