#include "trace-format/reader/section_reader.hpp"

#include <utility>

namespace ringside::trace {

SectionReader::SectionReader(std::shared_ptr<TraceFile> file, SectionScan scan,
                             const Context& context)
    : file_(std::move(file)),
      scan_(std::move(scan)),
      context_(context),
      report_(*context.report),
      window_(*context.options, scan_.clocks),
      blocks_(*file_, scan_.begin, scan_.end, &report_),
      far_blocks_(*file_, scan_.begin, scan_.end, nullptr),
      catalog_(*context.options, *scan_.segment),
      waiting_(context.pool, catalog_, scan_.clocks) {
  choose_range();
  load_metadata();
}

void SectionReader::note(std::uint64_t offset, std::string what, std::string remedy) {
  report_.note({file_->path(), offset, std::move(what), std::move(remedy)});
}

void SectionReader::get(Event& event) {
  event.unix_ns = current_.key.unix_ns;
  event.segment = scan_.segment.get();
  if (current_.kind == ItemKind::kSlice) {
    slice_.get(event.record);
    event.stream = slice_.stream();
    event.kind = EventKind::kRecord;
    event.lost = 0;
    event.cause = LossCause::kUnknown;
    return;
  }
  if (current_.kind == ItemKind::kOpen) {
    const Record& record = current_.cursor->record();
    event.stream = current_.stream;
    event.kind = EventKind::kRecord;
    // The extension is large and rarely used.
    if ((record.ext_flags | event.record.ext_flags) != 0) [[unlikely]] {
      event.record = record;
    } else {
      event.record.tsc = record.tsc;
      event.record.stream_id = record.stream_id;
      event.record.sequence = record.sequence;
      event.record.site = record.site;
      event.record.args = record.args;
    }
    event.lost = 0;
    event.cause = LossCause::kUnknown;
    return;
  }
  const Loss& loss = losses_[current_.slot];
  event.stream = &catalog_.stream(loss.gap.stream_id).info;
  event.kind = loss.by_site ? EventKind::kSiteLoss : EventKind::kLoss;
  event.record = {};
  event.record.tsc = loss.gap.tsc;
  event.record.stream_id = loss.gap.stream_id;
  event.record.sequence = loss.gap.first;
  event.lost = loss.gap.count;
  event.cause = loss.cause;
  event.since_ns = std::min(event.unix_ns, scan_.clocks.unix_ns(loss.since_tsc));
  if (loss.by_site) event.record.site = catalog_.sites().find(loss.site_id);
}

void SectionReader::follow() {
  following_ = true;
  blocks_.set_growing(true);
}

void SectionReader::grow() {
  if (!following_ || walk_ended_) return;
  scan_.end = walk_end_ = file_->size();
  blocks_.set_end(walk_end_);
  far_blocks_.set_end(walk_end_);
  out_of_blocks_ = false;
}

void SectionReader::stop_following() {
  following_ = false;
  blocks_.set_growing(false);
  out_of_blocks_ = false;
}

}  // namespace ringside::trace
