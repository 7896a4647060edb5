#include "trace-format/section_reader.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "trace-format/block_writer.hpp"
#include "trace-format/little_endian.hpp"

namespace ringside::trace {
namespace {

constexpr std::uint64_t kForever = std::numeric_limits<std::uint64_t>::max();

// Payloads of waiting extents are kept up to here; those beyond are read again at their turn.
constexpr std::size_t kKeptBytes = std::size_t{32} << 20;

LossCause loss_cause(std::uint32_t stored) {
  return stored <= static_cast<std::uint32_t>(LossCause::kSeveral) ? static_cast<LossCause>(stored)
                                                                   : LossCause::kUnknown;
}

}  // namespace

SectionReader::SectionReader(std::shared_ptr<TraceFile> file, SectionScan scan, ReadReport& report)
    : file_(std::move(file)),
      scan_(std::move(scan)),
      report_(report),
      blocks_(*file_, scan_.begin, scan_.end, &report),
      far_blocks_(*file_, scan_.begin, scan_.end, nullptr) {
  load_metadata();
}

void SectionReader::note(std::uint64_t offset, std::string what, std::string remedy) {
  report_.note({file_->path(), offset, std::move(what), std::move(remedy)});
}

StreamInfo& SectionReader::stream(std::uint64_t id) {
  StreamInfo& info = streams_[id];
  info.id = id;
  return info;
}

// Ahead of everything else, because a late extent is read before the dictionary entries that stand
// in front of it.
void SectionReader::load_metadata() {
  for (const std::uint64_t offset : scan_.metadata) {
    Block block;
    if (far_blocks_.read_at(offset, block)) take_block(block, false);
  }
}

void SectionReader::take_block(const Block& block, bool first_time) {
  switch (block.frame.type) {
    case BlockType::kDictionary: {
      std::string why;
      if (!sites_.add(block.payload, &why) && first_time) {
        note(block.offset, "bad dictionary block: " + why, "records of its sites are lost");
      }
      return;
    }
    case BlockType::kStream: {
      StreamBlock parsed;
      if (!StreamBlock::parse(block.payload, parsed)) return;
      StreamInfo& info = stream(parsed.stream_id);
      if (info.thread_id != parsed.thread_id || info.thread_name != parsed.thread_name ||
          info.start_tsc != parsed.start_tsc || info.ring_index != parsed.ring_index) {
        ++info.revision;
      }
      info.start_tsc = parsed.start_tsc;
      info.thread_id = parsed.thread_id;
      info.ring_index = parsed.ring_index;
      info.thread_name = parsed.thread_name;
      return;
    }
    case BlockType::kExtent:
      take_extent(block);
      return;
    case BlockType::kEnd:
      has_end_block_ = true;
      return;
    case BlockType::kHeader:
    case BlockType::kClock:  // both known since the scan
    case BlockType::kSequencePoint:
    case BlockType::kStackTable:
    case BlockType::kStringTable:
    case BlockType::kIndex:
      return;
  }
  ++report_.skipped_blocks;
  if ((block.frame.flags & kBlockCritical) != 0) {
    note(block.offset,
         "a block of unknown type " + std::to_string(static_cast<unsigned>(block.frame.type)) +
             " without which the rest cannot be understood",
         "use a newer ringcat");
    stopped_ = true;
  }
}

void SectionReader::take_extent(const Block& block) {
  ExtentHeader header;
  if (!ExtentHeader::parse(block.payload, header)) {
    note(block.offset, "an extent shorter than its header", "its records are lost");
    ++report_.damaged_blocks;
    return;
  }
  check_gap(header);
  if (taken_early_.erase(block.offset) == 0) wait_for(block, header);
}

// The stream's next record has this sequence number: numbers that were not seen are lost.
void SectionReader::expect(std::uint64_t stream_id, std::uint64_t sequence, std::uint64_t tsc) {
  const auto [it, is_new] = expected_.try_emplace(stream_id, sequence);
  if (is_new || sequence <= it->second) return;
  const std::uint64_t missing = sequence - it->second;
  report_.missing_records += missing;
  add_loss({tsc, stream_id, it->second, missing, LossCause::kMissing});
  it->second = sequence;
}

void SectionReader::check_gap(const ExtentHeader& header) {
  expect(header.stream_id, header.first_sequence - std::min(header.dropped, header.first_sequence),
         header.base_tsc);
  std::uint64_t& expected = expected_[header.stream_id];
  expected = std::max(expected, header.first_sequence + header.records);
}

void SectionReader::wait_for(const Block& block, const ExtentHeader& header) {
  ++report_.extents;
  if (header.dropped != 0) {
    report_.dropped_records += header.dropped;
    add_loss({header.base_tsc, header.stream_id, header.first_sequence - header.dropped,
              header.dropped, loss_cause(header.drop_cause)});
  }
  if (header.records == 0) return;
  std::uint32_t slot = 0;
  if (free_waiting_.empty()) {
    slot = static_cast<std::uint32_t>(waiting_.size());
    waiting_.emplace_back();
  } else {
    slot = free_waiting_.back();
    free_waiting_.pop_back();
  }
  Waiting& waiting = waiting_[slot];
  waiting.offset = block.offset;
  waiting.header = header;
  waiting.payload.clear();
  if (kept_bytes_ + block.payload.size() <= kKeptBytes) {
    waiting.payload.assign(block.payload.begin(), block.payload.end());
    kept_bytes_ += block.payload.size();
  }
  push(waiting_heap_,
       {{scan_.clocks.unix_ns(header.min_tsc), header.stream_id, header.first_sequence},
        ItemKind::kWaiting,
        slot,
        nullptr,
        nullptr});
}

void SectionReader::add_loss(const Loss& loss) {
  std::uint32_t slot = 0;
  if (free_losses_.empty()) {
    slot = static_cast<std::uint32_t>(losses_.size());
    losses_.push_back(loss);
  } else {
    slot = free_losses_.back();
    free_losses_.pop_back();
    losses_[slot] = loss;
  }
  push(waiting_heap_, {{scan_.clocks.unix_ns(loss.tsc), loss.stream_id, loss.first_sequence},
                       ItemKind::kLoss,
                       slot,
                       nullptr,
                       nullptr});
}

// False at the end of the section.
bool SectionReader::read_to_sequence_point() {
  Block block;
  while (!stopped_ && blocks_.next(block)) {
    if (block.frame.type != BlockType::kSequencePoint) {
      take_block(block, true);
      continue;
    }
    std::uint64_t watermark = 0;
    if (!parse_watermark(block.payload, watermark)) continue;
    check_positions(block, watermark);
    take_late(watermark);
    limit_ns_ = std::max(limit_ns_, scan_.clocks.unix_ns(watermark));
    return true;
  }
  limit_ns_ = kForever;
  if (!has_end_block_) ++report_.sections_without_end;
  return false;
}

// A sequence point also tells of extents that were lost and that no later one follows.
void SectionReader::check_positions(const Block& block, std::uint64_t watermark) {
  const std::byte* p = block.payload.data() + kSequencePointFixedBytes;
  const std::size_t room =
      (block.payload.size() - kSequencePointFixedBytes) / kSequencePointEntryBytes;
  const std::size_t count =
      std::min<std::size_t>(load<std::uint32_t>(block.payload.data() + 8), room);
  for (std::size_t i = 0; i < count; ++i, p += kSequencePointEntryBytes) {
    expect(load<std::uint64_t>(p), load<std::uint64_t>(p + 8), watermark);
  }
}

void SectionReader::take_late(std::uint64_t watermark) {
  for (; next_late_ < scan_.late.size(); ++next_late_) {
    const LateExtent& late = scan_.late[next_late_];
    if (late.min_tsc >= watermark) return;
    if (late.offset < blocks_.position()) continue;
    Block block;
    ExtentHeader header;
    // A damaged one is left to the walk, which accounts for it.
    if (!far_blocks_.read_at(late.offset, block) || block.frame.type != BlockType::kExtent ||
        !ExtentHeader::parse(block.payload, header)) {
      continue;
    }
    taken_early_.insert(late.offset);
    wait_for(block, header);
  }
}

void SectionReader::open_waiting(std::uint32_t slot) {
  Waiting& waiting = waiting_[slot];
  std::vector<std::byte> payload = std::move(waiting.payload);
  waiting.payload = {};
  const std::uint64_t offset = waiting.offset;
  free_waiting_.push_back(slot);
  if (payload.empty()) {
    Block block;
    if (!far_blocks_.read_at(offset, block)) {
      note(offset, "an extent changed while it was read", "its records are lost");
      ++report_.damaged_blocks;
      return;
    }
    payload.assign(block.payload.begin(), block.payload.end());
  } else {
    kept_bytes_ -= payload.size();
  }
  std::uint32_t cursor = 0;
  if (free_cursors_.empty()) {
    cursor = static_cast<std::uint32_t>(cursors_.size());
    cursors_.push_back(std::make_unique<ExtentCursor>());
  } else {
    cursor = free_cursors_.back();
    free_cursors_.pop_back();
  }
  report_.peak_open_extents =
      std::max<std::uint64_t>(report_.peak_open_extents, cursors_.size() - free_cursors_.size());
  std::string why;
  if (!cursors_[cursor]->open(std::move(payload), sites_, scan_.clocks, &why)) {
    note(offset, "an extent that cannot be decoded: " + why, "its records are lost");
    ++report_.damaged_blocks;
    free_cursors_.push_back(cursor);
    return;
  }
  if (cursors_[cursor]->at_end()) {
    close_cursor(cursor);
    return;
  }
  ExtentCursor* const opened = cursors_[cursor].get();
  push(open_heap_,
       {opened->key(), ItemKind::kOpen, cursor, opened, &stream(opened->key().stream_id)});
}

void SectionReader::close_cursor(std::uint32_t slot) {
  const ExtentCursor& cursor = *cursors_[slot];
  if (cursor.failure() != nullptr) {
    ++report_.damaged_blocks;
    note(scan_.begin,
         std::string("an extent that cannot be decoded to its end: ") + cursor.failure(),
         std::to_string(cursor.missing_records()) + " records are lost");
  }
  free_cursors_.push_back(slot);
}

// What an open extent's next event must be older than to be the next of all.
void SectionReader::find_rival() {
  rival_ = {limit_ns_, 0, 0};
  if (!open_heap_.empty() && open_heap_.front().key < rival_) rival_ = open_heap_.front().key;
  if (!waiting_heap_.empty() && waiting_heap_.front().key < rival_) {
    rival_ = waiting_heap_.front().key;
  }
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
        replace_front(open_heap_, current_);
        find_rival();
        return true;
      }
      push(open_heap_, current_);
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
  for (;;) {
    const bool from_open =
        !open_heap_.empty() &&
        (waiting_heap_.empty() || open_heap_.front().key < waiting_heap_.front().key);
    std::vector<Item>& heap = from_open ? open_heap_ : waiting_heap_;
    if (heap.empty() || (heap.front().key.unix_ns >= limit_ns_ && !at_end_)) {
      if (at_end_) return false;
      at_end_ = !read_to_sequence_point();
      continue;
    }
    current_ = pop(heap);
    if (current_.kind == ItemKind::kWaiting) {
      open_waiting(current_.slot);
      continue;
    }
    find_rival();
    return true;
  }
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
  event.stream = &stream(loss.stream_id);
  event.kind = EventKind::kLoss;
  event.record = {};
  event.record.tsc = loss.tsc;
  event.record.stream_id = loss.stream_id;
  event.record.sequence = loss.first_sequence;
  event.lost = loss.count;
  event.cause = loss.cause;
}

void SectionReader::push(std::vector<Item>& heap, const Item& item) {
  heap.push_back(item);
  std::push_heap(heap.begin(), heap.end(),
                 [](const Item& a, const Item& b) { return b.key < a.key; });
}

SectionReader::Item SectionReader::pop(std::vector<Item>& heap) {
  std::pop_heap(heap.begin(), heap.end(),
                [](const Item& a, const Item& b) { return b.key < a.key; });
  const Item item = heap.back();
  heap.pop_back();
  return item;
}

// Puts `item` in and the front out into `item`, in one walk down the heap.
void SectionReader::replace_front(std::vector<Item>& heap, Item& item) {
  const Item front = heap.front();
  const std::size_t size = heap.size();
  std::size_t hole = 0;
  for (std::size_t child = 1; child < size; child = 2 * hole + 1) {
    if (child + 1 < size && heap[child + 1].key < heap[child].key) ++child;
    if (item.key < heap[child].key) break;
    heap[hole] = heap[child];
    hole = child;
  }
  heap[hole] = item;
  item = front;
}

}  // namespace ringside::trace
