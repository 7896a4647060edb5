#include "trace-format/section_reader.hpp"

#include <algorithm>
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

bool SectionReader::next() {
  if (has_current_ && current_.kind == ItemKind::kOpen) {
    ExtentCursor& cursor = *current_.cursor;
    cursor.advance();
    current_.key = cursor.key();
    if (!cursor.at_end()) [[likely]] {
      if (current_.key < rival_) return true;
      const bool open_follows =
          rival_.unix_ns < limit_ns_ && !open_heap_.empty() && open_heap_.front().key == rival_;
      if (open_follows) {
        open_heap_.replace_front(current_);
        find_rival();
        return true;
      }
      open_heap_.push(current_);
    } else {
      close_cursor(current_.slot);
    }
  } else if (has_current_) {
    free_losses_.push_back(current_.slot);
  }
  has_current_ = find_next();
  return has_current_;
}

// The general case of next().
bool SectionReader::find_next() {
  while (!at_end_) {
    const bool from_open =
        !open_heap_.empty() &&
        (waiting_heap_.empty() || open_heap_.front().key < waiting_heap_.front().key);
    EventHeap<Item>& heap = from_open ? open_heap_ : waiting_heap_;
    if (heap.empty() || (heap.front().key.unix_ns >= limit_ns_ && !walk_ended_)) {
      // What is older than the limit is complete, and nothing younger is wanted.
      const bool past_until = window_.until_ns() != kForever && limit_ns_ >= window_.until_ns();
      if (walk_ended_ || past_until) break;
      if (out_of_blocks_) return false;
      read_on();
      continue;
    }
    current_ = heap.pop();
    if (current_.kind == ItemKind::kWaiting) {
      open_waiting(current_.slot);
      continue;
    }
    find_rival();
    return true;
  }
  if (!walk_ended_) {
    walk_ended_ = true;
    context_.ledger->close(context_.place, false);
  }
  at_end_ = true;
  return false;
}

// What an open extent's next event must be older than to be the next of all.
void SectionReader::find_rival() {
  rival_ = {limit_ns_, 0, 0};
  if (!open_heap_.empty() && open_heap_.front().key < rival_) rival_ = open_heap_.front().key;
  if (!waiting_heap_.empty() && waiting_heap_.front().key < rival_) {
    rival_ = waiting_heap_.front().key;
  }
}

void SectionReader::open_waiting(std::uint32_t slot) {
  WaitingExtents::Taken taken = waiting_.take(slot);
  if (taken.decoded == nullptr && taken.payload.empty()) {
    Block block;
    if (!far_blocks_.read_at(taken.offset, block)) {
      note(taken.offset, "an extent changed while it was read", "its records are lost");
      ++report_.damaged_blocks;
      return;
    }
    taken.payload.assign(block.payload.begin(), block.payload.end());
  }
  std::uint32_t number = 0;
  if (free_cursors_.empty()) {
    number = static_cast<std::uint32_t>(cursors_.size());
    cursors_.push_back(std::make_unique<Cursor>());
  } else {
    number = free_cursors_.back();
    free_cursors_.pop_back();
  }
  report_.peak_open_extents =
      std::max<std::uint64_t>(report_.peak_open_extents, cursors_.size() - free_cursors_.size());
  ++report_.extents_decoded;
  if (taken.decoded != nullptr) ++report_.extents_decoded_ahead;
  Cursor& cursor = *cursors_[number];
  cursor.offset = taken.offset;
  cursor.decoded_bytes = taken.decoded_bytes;
  ExtentCursor& records = cursor.records;
  std::string why;
  const bool sound = taken.decoded != nullptr
                         ? records.open(std::move(taken.decoded), &why)
                         : records.open(std::move(taken.payload), catalog_.sites(), scan_.clocks,
                                        catalog_.choice(), &why);
  if (!sound) {
    note(taken.offset, "an extent that cannot be decoded: " + why, "its records are lost");
    ++report_.damaged_blocks;
    records.close();
    waiting_.release(cursor.decoded_bytes);
    free_cursors_.push_back(number);
    return;
  }
  while (!records.at_end() && records.key().unix_ns < window_.since_ns()) records.advance();
  if (records.at_end()) {
    close_cursor(number);
    return;
  }
  open_heap_.push({records.key(), ItemKind::kOpen, number, &records,
                   &catalog_.stream(records.key().stream_id).info});
}

void SectionReader::close_cursor(std::uint32_t slot) {
  Cursor& cursor = *cursors_[slot];
  if (cursor.records.failure() != nullptr) {
    ++report_.damaged_blocks;
    note(cursor.offset,
         std::string("an extent that cannot be decoded to its end: ") + cursor.records.failure(),
         std::to_string(cursor.records.missing_records()) + " records are lost");
  }
  cursor.records.close();
  waiting_.release(cursor.decoded_bytes);
  free_cursors_.push_back(slot);
}

void SectionReader::get(Event& event) {
  event.unix_ns = current_.key.unix_ns;
  event.segment = scan_.segment.get();
  if (current_.kind == ItemKind::kOpen) {
    const Record& record = current_.cursor->record();
    event.stream = current_.stream;
    event.kind = EventKind::kRecord;
    // The extension's many bytes seldom say anything.
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
  event.kind = EventKind::kLoss;
  event.record = {};
  event.record.tsc = loss.gap.tsc;
  event.record.stream_id = loss.gap.stream_id;
  event.record.sequence = loss.gap.first;
  event.lost = loss.gap.count;
  event.cause = loss.cause;
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
