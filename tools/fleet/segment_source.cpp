#include "tools/fleet/segment_source.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <tuple>
#include <utility>

#include "shm-layout/loss_cause.hpp"
#include "tools/fleet/shipped_marks.hpp"
#include "tools/fleet/trace_file_state.hpp"
#include "trace-format/blocks/block_writer.hpp"
#include "trace-format/blocks/little_endian.hpp"
#include "trace-format/codec/extent_decoder.hpp"
#include "trace-format/reader/trace_paths.hpp"

namespace ringside::fleet {
namespace {

using trace::Block;
using trace::BlockType;

constexpr std::size_t kMostLookedAt = 16;  // times the bytes of a message

void append(Bytes& bytes, std::span<const std::byte> more) {
  bytes.insert(bytes.end(), more.begin(), more.end());
}

// For a segment of which records were left out that no message has told yet; else null.
std::unique_ptr<RecordSelection> selection_of_everything(const ShipCursor& cursor) {
  std::string why;
  const auto& streams = cursor.streams.by_stream;
  const bool is_needed = std::any_of(streams.begin(), streams.end(),
                                     [](const auto& entry) { return entry.second.pending != 0; });
  return is_needed ? RecordSelection::make({}, {}, &why) : nullptr;
}

// The counts of the original are not those of what is left.
Bytes uncounted_end(const Block& block) {
  trace::EndBlock end;
  trace::EndBlock::parse(block.payload, end);
  end.records = end.dropped = trace::kUncounted;
  end.index_bytes = 0;
  Bytes bytes(trace::kBlockHeaderBytes + trace::kEndBytes);
  trace::write_end_block(end, bytes);
  return bytes;
}

// Whether the file does not grow after this END.
bool is_last_of_file(const Block& block) {
  trace::EndBlock end;
  return trace::EndBlock::parse(block.payload, end) &&
         (end.reason == trace::EndReason::kServiceEnded ||
          end.reason == trace::EndReason::kRotation || end.reason == trace::EndReason::kEmptied);
}

Bytes whole(const Block& block) {
  Bytes bytes(trace::kBlockHeaderBytes);
  append(bytes, block.payload);
  trace::write_block_frame(bytes.data(), block.frame.type, block.payload.size(), block.frame.flags);
  return bytes;
}

}  // namespace

// The section that is read.
struct SegmentSource::Section {
  RepeatedBlocks repeated;
  SegmentUuid boot_id{};
  DictionaryFragments dictionary;
  std::unique_ptr<SectionSelection> selection;  // null: everything
  bool is_sent = false;                         // a part of it, by this process
};

SegmentSource::SegmentSource(const SegmentUuid& uuid, ShipCursor cursor,
                             const RecordSelection* selection, trace::OpenFiles& files,
                             trace::ReadReport& report)
    : uuid_(uuid),
      everything_(selection == nullptr ? selection_of_everything(cursor) : nullptr),
      selection_(selection == nullptr ? everything_.get() : selection),
      is_subset_(selection != nullptr),
      open_files_(files),
      report_(report),
      cursor_(std::move(cursor)) {}

SegmentSource::~SegmentSource() = default;

void SegmentSource::set_files(std::vector<SegmentFile> files) {
  files_ = std::move(files);
}

UnreadBytes SegmentSource::unread() const {
  UnreadBytes unread;
  for (const SegmentFile& file : files_) {
    const bool is_open = file_sequence_ && file.sequence == *file_sequence_ && reader_ != nullptr;
    if (!is_open && file.sequence < file_sequence_.value_or(cursor_.file_sequence)) continue;
    std::uint64_t bytes = 0;
    if (is_open) {
      // Of a packed file, the reader has the size that it had before.
      bytes = file_->size() - std::min(file_->size(), reader_->position());
    } else {
      std::error_code code;
      for (const std::string& name : {file.path, trace::packed_name(file.path)}) {
        const std::uintmax_t size = std::filesystem::file_size(name, code);
        if (code) continue;
        bytes = size;
        break;
      }
    }
    if (bytes == 0) continue;
    if (unread.bytes == 0) unread.since = written_last(file.path);
    unread.bytes += bytes;
  }
  return unread;
}

// Opens the next file that is not shipped, if there is one. False if it cannot be opened for now:
// what is passed over is taken as shipped, and consumerd may remove it.
bool SegmentSource::open_file() {
  for (;;) {
    const std::uint64_t from =
        file_sequence_ ? std::uint64_t{*file_sequence_} + 1 : cursor_.file_sequence;
    const auto next = std::find_if(files_.begin(), files_.end(), [from](const SegmentFile& file) {
      return file.sequence >= from;
    });
    if (next == files_.end()) return false;
    trace::ReadError error;
    auto file = open_files_.open(next->path, &error);
    if (file == nullptr && !can_be_left(next->path, std::move(error))) return false;
    file_sequence_ = next->sequence;
    path_ = next->path;
    section_number_.reset();
    section_.reset();
    has_file_end_ = false;
    reader_.reset();
    file_ = std::move(file);
    if (file_ == nullptr) continue;
    reader_ = std::make_unique<trace::BlockReader>(*file_, 0, file_->size(), &report_);
    reader_->set_growing(true);
    return true;
  }
}

bool SegmentSource::can_be_left(const std::string& path, trace::ReadError error) {
  const bool is_left = !may_open_later(path);
  if (is_left || unopened_ != path) report_.note(std::move(error));
  unopened_ = is_left ? std::string() : path;
  return is_left;
}

// The next block of the files; false if none is complete now. A file is left when a later one
// exists and nothing more is in it.
bool SegmentSource::read_block(Block& block, bool may_leave_file) {
  if (reader_ == nullptr && !open_file()) return false;
  for (;;) {
    if (reader_->next(block)) return true;
    // consumerd with several threads writes some files of a segment at the same time. Before the
    // last look at the file: what is written until the lock is dropped is seen then.
    const bool is_last = files_.back().sequence <= *file_sequence_;
    const bool is_stuck = reader_->position() < reader_->end();
    const bool is_at_rest = (is_stuck || (may_leave_file && !is_last)) && !has_writer(path_);
    file_->look_again();
    if (file_->size() > reader_->end()) {
      reader_->set_end(file_->size());
      if (reader_->next(block)) return true;
    }
    // No writer will complete what is damaged.
    if (is_at_rest && is_stuck) reader_->pass_damage();
    if (is_at_rest && reader_->next(block)) return true;
    if (!is_at_rest || !may_leave_file || is_last || !open_file()) return false;
  }
}

// Whether the cursor is past the block.
bool SegmentSource::is_shipped(const Block& block) const {
  const auto place = std::pair(*file_sequence_, *section_number_);
  const auto shipped = std::pair(cursor_.file_sequence, cursor_.section);
  if (place != shipped) return place < shipped;
  trace::ExtentHeader extent;
  if (block.frame.type == BlockType::kExtent && trace::ExtentHeader::parse(block.payload, extent)) {
    const auto sent = cursor_.streams.by_stream.find(extent.stream_id);
    return sent != cursor_.streams.by_stream.end() &&
           extent.first_sequence + extent.records <= sent->second.next;
  }
  return block_number_ < cursor_.blocks;
}

void SegmentSource::begin_section(const Block& block, PreparedMessage& prepared) {
  section_number_ = section_number_ ? *section_number_ + 1 : 0;
  has_file_end_ = false;
  block_number_ = 0;
  section_.reset();
  trace::SectionHeader header;
  // A section of another segment in the same file is not ours.
  if (!trace::SectionHeader::parse(block.payload, header) || header.uuid != uuid_) return;
  section_ = std::make_unique<Section>();
  section_->repeated.add_header(whole(block));
  section_->boot_id = header.boot_id;
  if (selection_ != nullptr)
    section_->selection = std::make_unique<SectionSelection>(*selection_, header);
  if (std::pair(*file_sequence_, *section_number_) >
      std::pair(cursor_.file_sequence, cursor_.section))
    prepared.after.sent_blocks = 0;
  add(block, prepared);
}

// The block; of an emptied file's losses, those that were not shipped before it was emptied.
Bytes SegmentSource::unshipped_part(const Block& block, const SentStreams& sent) {
  Bytes bytes = whole(block);
  trace::ExtentHeader extent;
  if (block.frame.type != BlockType::kExtent ||
      !trace::ExtentHeader::parse(block.payload, extent) || extent.records != 0 ||
      extent.drop_cause != static_cast<std::uint32_t>(shm::LossCause::kUnshipped)) {
    return bytes;
  }
  const auto stream = sent.by_stream.find(extent.stream_id);
  if (stream == sent.by_stream.end() || stream->second.next >= extent.first_sequence ||
      extent.first_sequence - stream->second.next >= extent.dropped) {
    return bytes;
  }
  constexpr std::size_t kDroppedAt = 48;  // in the payload
  trace::store(bytes.data() + trace::kBlockHeaderBytes + kDroppedAt,
               extent.first_sequence - stream->second.next);
  trace::write_block_frame(bytes.data(), block.frame.type, block.payload.size(), block.frame.flags);
  return bytes;
}

void SegmentSource::count(const trace::ExtentHeader& extent, PreparedMessage& prepared) {
  prepared.records += extent.records;
  if (extent.has_lost()) prepared.lost[extent.drop_cause] += extent.dropped;
}

// What of the block is sent.
Bytes SegmentSource::selected_of(const Block& block, SentStreams& sent) {
  const BlockType type = block.frame.type;
  trace::ExtentHeader extent;
  const bool is_extent =
      type == BlockType::kExtent && trace::ExtentHeader::parse(block.payload, extent);
  if (section_->selection == nullptr) {
    Bytes unshipped = unshipped_part(block, sent);
    if (is_extent) sent.by_stream[extent.stream_id].next = extent.first_sequence + extent.records;
    return unshipped;
  }
  Bytes bytes;
  if (is_extent) {
    section_->selection->select(whole(block), sent, bytes);
  } else if (type == BlockType::kSequencePoint) {
    section_->selection->select_point(block.payload, sent, bytes);
  } else {
    bytes = type == BlockType::kEnd ? uncounted_end(block) : whole(block);
  }
  return bytes;
}

// Adds what of the block is sent to the message, unless it was shipped; remembers what later
// messages repeat.
void SegmentSource::add(const Block& block, PreparedMessage& prepared) {
  const BlockType type = block.frame.type;
  const bool travels =
      type != BlockType::kDictionary && type != BlockType::kIndex && type != BlockType::kShipped;
  ExtentMessage& message = prepared.message;
  if (travels && !is_shipped(block)) {
    const Bytes bytes = selected_of(block, prepared.after.streams);
    if (message.blocks.empty() && !bytes.empty()) {
      message.first_block = prepared.after.sent_blocks;
      if (type != BlockType::kHeader) {
        section_->repeated.begin(message);
      }
    }
    append(message.blocks, bytes);
    for_each_block(bytes, [&](const trace::BlockFrame& frame, std::span<const std::byte> sent) {
      ++prepared.after.sent_blocks;
      trace::ExtentHeader extent;
      if (frame.type == BlockType::kExtent &&
          trace::ExtentHeader::parse(sent.subspan(trace::kBlockHeaderBytes), extent))
        count(extent, prepared);
    });
  }
  if (travels) ++block_number_;
  remember(block);
}

void SegmentSource::remember(const Block& block) {
  SectionSelection* const selection = section_->selection.get();
  trace::StreamBlock stream;
  switch (block.frame.type) {
    case BlockType::kDictionary:
      section_->dictionary.add(block.payload);
      if (selection != nullptr) selection->add_dictionary(block.payload);
      break;
    case BlockType::kClock:
      section_->repeated.add_clock(whole(block));
      if (selection != nullptr) selection->add_clock(block.payload);
      break;
    case BlockType::kStream:
      if (!trace::StreamBlock::parse(block.payload, stream)) break;
      section_->repeated.add_stream(stream.stream_id, whole(block));
      if (selection != nullptr) selection->add_stream(block.payload);
      break;
    default:
      break;
  }
}

// After a restart, what the cursor has passed is read again: the cursor does not go back.
void SegmentSource::note_place(ShipCursor& after) {
  if (!section_) return;
  const auto place = std::pair(*file_sequence_, *section_number_);
  const auto shipped = std::pair(cursor_.file_sequence, cursor_.section);
  if (place < shipped) return;
  after.blocks = place == shipped ? std::max(block_number_, cursor_.blocks) : block_number_;
  std::tie(after.file_sequence, after.section) = place;
  cursor_ = after;
}

// With only_sections_with_records, what precedes the first selected record waits for it.
bool SegmentSource::is_worth_sending(const PreparedMessage& prepared) const {
  if (prepared.message.blocks.empty()) return false;
  return selection_ == nullptr || !selection_->only_sections_with_records ||
         prepared.records != 0 || (section_ && section_->is_sent);
}

std::optional<PreparedMessage> SegmentSource::next(std::size_t most_bytes) {
  PreparedMessage prepared;
  prepared.after = cursor_;
  if (waiting_) prepared = std::move(*std::exchange(waiting_, std::nullopt));
  ExtentMessage& message = prepared.message;
  Block block;
  if (!held_.empty()) {
    const Bytes held = std::exchange(held_, {});
    trace::parse_block_frame(held, block.frame);
    block.payload = std::span(held).subspan(trace::kBlockHeaderBytes);
    begin_section(block, prepared);
  }
  // A selection can leave out whole files: the caller has other work, too.
  std::size_t left_bytes = selection_ == nullptr ? SIZE_MAX : kMostLookedAt * most_bytes;
  bool has_more = true;
  while (left_bytes != 0 && (message.blocks.size() < most_bytes || !is_worth_sending(prepared))) {
    has_more = read_block(block, !is_worth_sending(prepared));
    if (!has_more) break;
    left_bytes -= std::min<std::size_t>(left_bytes, block.frame.block_bytes());
    const bool is_header = block.frame.type == BlockType::kHeader;
    if (is_header && is_worth_sending(prepared)) {
      held_ = whole(block);
      break;
    }
    if (is_header) {
      drop_blocks(prepared);
      begin_section(block, prepared);
    } else if (section_) {
      add(block, prepared);
      if (block.frame.type != BlockType::kEnd) continue;
      has_file_end_ = is_last_of_file(block);
      if (is_worth_sending(prepared)) break;
      drop_blocks(prepared);
    }
  }
  note_place(prepared.after);
  if (is_worth_sending(prepared)) {
    complete(prepared);
    return prepared;
  }
  if (!message.blocks.empty()) waiting_ = std::move(prepared);
  if (!has_more) return std::nullopt;
  return PreparedMessage{};
}

void SegmentSource::drop_blocks(PreparedMessage& prepared) {
  prepared.message = {};
  prepared.lost.clear();
}

void SegmentSource::complete(PreparedMessage& prepared) {
  ExtentMessage& message = prepared.message;
  section_->is_sent = true;
  prepared.since = std::min(std::filesystem::file_time_type::clock::now(), written_last(path_));
  message.uuid = uuid_;
  message.file_sequence = *file_sequence_;
  message.section = *section_number_;
  message.is_subset = is_subset_;
  prepared.contents = section_->dictionary.cut();
  message.manifest = section_->dictionary.manifest();
  section_->repeated.complete(message);
  prepared.path = path_;
  prepared.next_file = message.file_sequence + (has_file_end_ ? 1 : 0);
}

bool SegmentSource::is_finished() const {
  return reader_ != nullptr && section_ && reader_->position() >= file_->size() &&
         files_.back().sequence == *file_sequence_ &&
         (has_file_end_ || is_of_earlier_boot(section_->boot_id));
}

}  // namespace ringside::fleet
