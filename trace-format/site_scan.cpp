#include "trace-format/site_scan.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "trace-format/block_writer.hpp"

namespace ringside::trace {

std::optional<SiteScan> SiteScan::open(const std::string& path, ReadError* error) {
  SiteScan scan;
  scan.file_ = TraceFile::open(path, error);
  if (!scan.file_) return std::nullopt;
  scan.report_ = std::make_unique<ReadReport>();
  scan.report_->files = 1;
  scan.file_->report_to(scan.report_.get());
  scan.sections_ = scan_sections(*scan.file_, *scan.report_);
  scan.report_->sections = scan.sections_.size();
  if (scan.sections_.empty()) {
    if (error != nullptr) {
      *error = scan.report_->notes.empty() ? ReadError{path, 0, "holds no trace that can be read",
                                                       "check that it is a trace file"}
                                           : scan.report_->notes.front();
    }
    return std::nullopt;
  }
  scan.decoder_ = std::make_unique<ExtentDecoder>();
  return scan;
}

// All of the dictionary first, so that the choice of sites stands before the first extent.
void SiteScan::begin(SectionScan& section) {
  sites_ = std::make_unique<SiteTable>();
  clock_ = TickClock(section.clocks);
  segment_ = section.segment.get();
  streams_.clear();
  blocks_ = std::make_unique<BlockReader>(*file_, section.begin, section.end, report_.get());
  BlockReader metadata(*file_, section.begin, section.end, nullptr);
  for (const std::uint64_t offset : section.metadata) {
    Block block;
    std::string why;
    if (!metadata.read_at(offset, block) || block.frame.type != BlockType::kDictionary) continue;
    if (!sites_->add(block.payload, &why)) {
      report_->note(
          {file_->path(), offset, "bad dictionary block: " + why, "records of its sites are lost"});
    }
  }
}

bool SiteScan::next_extent(SiteChoice& choice) {
  Block block;
  while (blocks_->next(block)) {
    if (block.frame.type == BlockType::kStream) take_stream(block);
    if (block.frame.type != BlockType::kExtent) continue;
    ++report_->extents;
    std::string why;
    if (!decoder_->open(block.payload, *sites_, &why, &choice)) {
      ++report_->damaged_blocks;
      report_->note({file_->path(), block.offset, "an extent that cannot be decoded: " + why,
                     "its records are lost"});
      continue;
    }
    report_->dropped_records += decoder_->header().dropped;
    report_->records += decoder_->header().records;
    extent_offset_ = block.offset;
    if (!decoder_->has_chosen()) continue;
    StreamInfo& stream = streams_[decoder_->header().stream_id];
    stream.id = decoder_->header().stream_id;
    stream_ = &stream;
    return true;
  }
  return false;
}

void SiteScan::take_stream(const Block& block) {
  StreamBlock parsed;
  if (!StreamBlock::parse(block.payload, parsed)) return;
  StreamInfo& stream = streams_[parsed.stream_id];
  stream.start_tsc = parsed.start_tsc;
  stream.thread_id = parsed.thread_id;
  stream.ring_index = parsed.ring_index;
  stream.thread_name = parsed.thread_name;
  ++stream.revision;
}

void SiteScan::end_extent() {
  if (!decoder_->failed()) return;
  ++report_->damaged_blocks;
  report_->note({file_->path(), extent_offset_,
                 std::string("an extent that cannot be decoded to its end: ") + decoder_->failure(),
                 "the records behind are lost"});
}

}  // namespace ringside::trace
