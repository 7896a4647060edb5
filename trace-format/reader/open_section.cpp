#include "trace-format/reader/open_section.hpp"

#include <utility>

#include "trace-format/blocks/block_writer.hpp"

namespace ringside::trace {

OpenSection::OpenSection(std::shared_ptr<TraceFile> file, SectionScan scan,
                         const SectionContext& context)
    : file_(std::move(file)),
      scan_(std::move(scan)),
      options_(*context.options),
      report_(*context.report),
      window_(options_, scan_.clocks),
      blocks_(*file_, scan_.begin, scan_.end, nullptr),
      catalog_(options_, *scan_.segment) {}

void OpenSection::take_metadata(const Block& block) {
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

void OpenSection::add_clock(const ClockPoint& point) {
  scan_.clocks.add(point);
  report_.host_clocks.add(scan_.segment->boot_id, scan_.segment->host, point);
  window_ = ReadWindow(options_, scan_.clocks);
}

void OpenSection::take_call_costs(const Block& block) {
  const SegmentInfo& segment = *scan_.segment;
  MeasuredCalls calls{segment.service, segment.pid, segment.tick_hz, 0, {}};
  if (!CallCostsBlock::parse(block.payload, calls.newest)) {
    ++report_.damaged_blocks;
    report_.damaged_bytes += block.frame.block_bytes();
    note(block.offset, "a CALL_COSTS block is invalid", "it is ignored");
    return;
  }
  calls.until_ns = clocks().unix_ns(calls.newest.until_tsc);
  report_.call_costs.add(segment.uuid, calls);
}

void OpenSection::rescan() {
  rescan_section(*file_, scan_, report_);
  window_ = ReadWindow(options_, scan_.clocks);
}

void OpenSection::grow() {
  scan_.end = file_->size();
  blocks_.set_end(scan_.end);
}

void OpenSection::note(std::uint64_t offset, std::string what, std::string remedy) {
  report_.note({file_->path(), offset, std::move(what), std::move(remedy)});
}

}  // namespace ringside::trace
