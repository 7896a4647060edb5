// Where SectionReader's walk through the blocks begins and ends, and its knowledge before the walk.
#include <algorithm>
#include <string>

#include "trace-format/blocks/block_writer.hpp"
#include "trace-format/reader/section_reader.hpp"

namespace ringside::trace {

// The part of the section that may contain the wanted time, according to its sequence points.
void SectionReader::choose_range() {
  const TimePoint* first = nullptr;
  const TimePoint* last = nullptr;
  for (const TimePoint& point : scan_.points) {
    if (window_.ends_before(point.max_tsc_before)) first = &point;
    if (last == nullptr && window_.begins_after(point.watermark)) last = &point;
  }
  const bool is_empty = first != nullptr && last != nullptr && last->offset < first->offset;
  if ((first != nullptr && !is_sound(*first)) || (last != nullptr && !is_sound(*last)) ||
      is_empty) {
    if (scan_.indexed)
      return doubt_index((first != nullptr ? first : last)->offset,
                         "no sequence point at a listed offset");
    first = last = nullptr;  // misleading headers: read the whole section
  }
  walk_begin_ = first != nullptr ? first->offset : scan_.begin;
  walk_end_ = last != nullptr ? last->offset : scan_.end;
  if (first != nullptr) context_.ledger->begin_inside(context_.place);
  blocks_.set_range(walk_begin_, walk_end_);
}

bool SectionReader::is_sound(const TimePoint& point) {
  Block block;
  std::uint64_t watermark = 0;
  return far_blocks_.read_at(point.offset, block) &&
         block.frame.type == BlockType::kSequencePoint &&
         parse_watermark(block.payload, watermark) && watermark == point.watermark;
}

// The section's blocks contradict its index, so none of it is reliable.
void SectionReader::doubt_index(std::uint64_t offset, const std::string& what) {
  if (!scan_.indexed) return;
  note(offset, "invalid index of the section: " + what, "reading its blocks one by one instead");
  waiting_.settle();
  const bool begun = walk_end_ != 0;
  rescan_section(*file_, scan_, report_);
  window_ = ReadWindow(*context_.options, scan_.clocks);
  next_late_ = 0;
  if (begun) {
    // Blocks before this position are already skipped; blocks after it may be wanted after all.
    walk_end_ = scan_.end;
    blocks_.set_end(walk_end_);
    load_metadata();
  } else {
    choose_range();
  }
}

// Before everything else, because a late extent is read before the dictionary entries that precede
// it.
void SectionReader::load_metadata() {
  for (std::size_t i = 0; i < scan_.metadata.size(); ++i) {
    Block block;
    if (!far_blocks_.read_at(scan_.metadata[i], block)) {
      if (!scan_.indexed) continue;
      doubt_index(scan_.metadata[i], "a damaged block at a listed offset");
      return;
    }
    take_metadata(block);
  }
}

void SectionReader::take_metadata(const Block& block) {
  if (block.frame.type == BlockType::kDictionary) {
    std::string why;
    if (!catalog_.add_entries(block.payload, &why)) {
      report_.note_once({file_->path(), block.offset, "damaged dictionary block: " + why,
                         "the records of its sites are lost"});
    }
  } else if (block.frame.type == BlockType::kStream) {
    StreamBlock parsed;
    if (StreamBlock::parse(block.payload, parsed)) catalog_.add_stream(parsed);
  }
}

}  // namespace ringside::trace
