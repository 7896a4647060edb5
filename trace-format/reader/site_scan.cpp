#include "trace-format/reader/site_scan.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "trace-format/blocks/block_writer.hpp"

namespace ringside::trace {

std::optional<SiteScan> SiteScan::open(const std::string& path, ReadError* error) {
  std::unique_ptr<TraceFile> file = TraceFile::open(path, error);
  if (!file) return std::nullopt;
  return open(std::move(file), error);
}

std::optional<SiteScan> SiteScan::open(std::unique_ptr<TraceFile> file, ReadError* error) {
  SiteScan scan;
  scan.file_ = std::move(file);
  scan.report_ = std::make_unique<ReadReport>();
  scan.report_->files = 1;
  scan.file_->report_to(scan.report_.get());
  scan.sections_ = scan_sections(*scan.file_, *scan.report_);
  scan.report_->sections = scan.sections_.size();
  if (scan.sections_.empty()) {
    if (error != nullptr) {
      *error = scan.report_->notes.empty()
                   ? ReadError{scan.file_->path(), 0, "contains no readable trace",
                               "check that it is a trace file"}
                   : scan.report_->notes.front();
    }
    return std::nullopt;
  }
  scan.decoder_ = std::make_unique<ExtentDecoder>();
  return scan;
}

void SiteScan::begin(SectionScan& section) {
  segment_ = section.segment.get();
  blocks_ = std::make_unique<BlockReader>(*file_, section.begin, section.end, report_.get());
  far_blocks_ = std::make_unique<BlockReader>(*file_, section.begin, section.end, nullptr);
  choose_range(section);
  clock_ = TickClock(section.clocks);
  load_metadata(section);
}

// The part of the section that may contain the wanted time, according to its sequence points.
void SiteScan::choose_range(SectionScan& section) {
  window_.reset();
  next_late_ = section.late.size();
  if (options_ == nullptr || (options_->since_ns == 0 && options_->until_ns == kForever)) return;
  window_.emplace(*options_, section.clocks);
  if (find_range(section)) return;
  if (section.indexed) {
    report_->note(
        {file_->path(), section.begin,
         "invalid index of the section: no sequence point or late extent at a listed offset",
         "reading its blocks one by one instead"});
    rescan_section(*file_, section, *report_);
    window_.emplace(*options_, section.clocks);
    if (find_range(section)) return;
  }
  // Misleading headers: read the whole section.
  blocks_->set_range(section.begin, section.end);
  next_late_ = section.late.size();
}

// False if the section's points are wrong.
bool SiteScan::find_range(const SectionScan& section) {
  const TimePoint* first = nullptr;
  const TimePoint* last = nullptr;
  for (const TimePoint& point : section.points) {
    if (window_->ends_before(point.max_tsc_before)) first = &point;
    if (last == nullptr && window_->begins_after(point.watermark)) last = &point;
  }
  if ((first != nullptr && !is_sound(*first)) || (last != nullptr && !is_sound(*last))) {
    return false;
  }
  if (first != nullptr && last != nullptr && last->offset < first->offset) return false;
  const std::uint64_t end = last != nullptr ? last->offset : section.end;
  blocks_->set_range(first != nullptr ? first->offset : section.begin, end);
  if (last == nullptr) return true;
  next_late_ = 0;
  return !section.indexed ||
         std::all_of(section.late.begin(), section.late.end(), [&](const LateExtent& late) {
           return late.offset < end || window_->begins_after(late.min_tsc) || is_sound(late);
         });
}

bool SiteScan::is_sound(const TimePoint& point) {
  Block block;
  std::uint64_t watermark = 0;
  return far_blocks_->read_at(point.offset, block) &&
         block.frame.type == BlockType::kSequencePoint &&
         parse_watermark(block.payload, watermark) && watermark == point.watermark;
}

bool SiteScan::is_sound(const LateExtent& late) {
  Block block;
  ExtentHeader header;
  return far_blocks_->read_at(late.offset, block) && block.frame.type == BlockType::kExtent &&
         ExtentHeader::parse(block.payload, header) && header.min_tsc == late.min_tsc;
}

// Loads all of it first, so that the choice of sites is complete before the first extent, and the
// streams are known wherever the walk begins.
void SiteScan::load_metadata(const SectionScan& section) {
  sites_ = std::make_unique<SiteTable>();
  streams_.clear();
  lacks_metadata_ = false;
  for (const std::uint64_t offset : section.metadata) {
    Block block;
    std::string why;
    if (!far_blocks_->read_at(offset, block)) {
      lacks_metadata_ = true;
      continue;
    }
    if (block.frame.type == BlockType::kStream) take_stream(block);
    if (block.frame.type != BlockType::kDictionary) continue;
    if (!sites_->add(block.payload, &why)) {
      report_->note({file_->path(), offset, "damaged dictionary block: " + why,
                     "the records of its sites are lost"});
    }
  }
}

bool SiteScan::next_extent(const SectionScan& section, SiteChoice& choice) {
  Block block;
  while (next_block(section, block)) {
    if (block.frame.type == BlockType::kStream) take_stream(block);
    if (block.frame.type != BlockType::kExtent) continue;
    ++report_->extents;
    ExtentHeader header;
    if (ExtentHeader::parse(block.payload, header) && !is_wanted(header)) continue;
    std::string why;
    if (!decoder_->open(block.payload, *sites_, &why, &choice, ExtentDecoder::Contexts::kAside)) {
      ++report_->damaged_blocks;
      report_->note(
          {file_->path(), block.offset, "cannot decode an extent: " + why, "its records are lost"});
      continue;
    }
    (header.has_lost() ? report_->dropped_records : report_->not_selected_records) +=
        header.dropped;
    report_->records += header.records;
    extent_offset_ = block.offset;
    if (!decoder_->has_chosen()) continue;
    Stream& stream = streams_[header.stream_id];
    stream.info.id = header.stream_id;
    stream_ = &stream;
    return true;
  }
  return false;
}

bool SiteScan::next_block(const SectionScan& section, Block& block) {
  if (blocks_->next(block)) return true;
  while (next_late_ < section.late.size()) {
    const LateExtent& late = section.late[next_late_++];
    if (late.offset < blocks_->end() || window_->begins_after(late.min_tsc)) continue;
    if (far_blocks_->read_at(late.offset, block)) return true;
  }
  return false;
}

bool SiteScan::is_wanted(const ExtentHeader& header) {
  if (options_ == nullptr) return true;
  if (window_ && (window_->ends_before(header.max_tsc) || window_->begins_after(header.min_tsc))) {
    return false;
  }
  if (!options_->stream) return true;
  Stream& stream = streams_[header.stream_id];
  stream.info.id = header.stream_id;
  if (!stream.wanted) stream.wanted = options_->stream(stream.info, *segment_);
  return *stream.wanted;
}

void SiteScan::take_stream(const Block& block) {
  StreamBlock parsed;
  if (!StreamBlock::parse(block.payload, parsed)) return;
  Stream& stream = streams_[parsed.stream_id];
  stream.wanted.reset();
  stream.info.id = parsed.stream_id;
  stream.info.start_tsc = parsed.start_tsc;
  stream.info.thread_id = parsed.thread_id;
  stream.info.ring_index = parsed.ring_index;
  stream.info.thread_name = parsed.thread_name;
  ++stream.info.revision;
}

void SiteScan::end_extent() {
  if (!decoder_->failed()) return;
  ++report_->damaged_blocks;
  report_->note({file_->path(), extent_offset_,
                 std::string("cannot decode the rest of an extent: ") + decoder_->failure(),
                 "the records after this place are lost"});
}

}  // namespace ringside::trace
