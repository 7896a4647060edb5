#include "tools/fleet/segment_source.hpp"

#include <algorithm>
#include <set>
#include <span>
#include <utility>

#include "trace-format/blocks/block_writer.hpp"
#include "trace-format/codec/extent_decoder.hpp"
#include "trace-format/reader/trace_paths.hpp"

namespace ringside::fleet {
namespace {

using trace::Block;
using trace::BlockType;

constexpr std::size_t kRepeatedClocks = 8;

void append(Bytes& bytes, std::span<const std::byte> more) {
  bytes.insert(bytes.end(), more.begin(), more.end());
}

Bytes whole(const Block& block) {
  Bytes bytes(trace::kBlockHeaderBytes);
  append(bytes, block.payload);
  trace::write_block_frame(bytes.data(), block.frame.type, block.payload.size(), block.frame.flags);
  return bytes;
}

// The present time if there is no such file.
std::filesystem::file_time_type written_last(const std::string& path) {
  std::error_code code;
  for (const std::string& name : {path, trace::packed_name(path)}) {
    const auto time = std::filesystem::last_write_time(name, code);
    if (!code) return time;
  }
  return std::filesystem::file_time_type::clock::now();
}

}  // namespace

SegmentSource::SegmentSource(const SegmentUuid& uuid, ShipCursor cursor, trace::OpenFiles& files,
                             trace::ReadReport& report)
    : uuid_(uuid), open_files_(files), report_(report), cursor_(std::move(cursor)) {}

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

// Opens the next file that is not shipped, if there is one.
bool SegmentSource::open_file() {
  const std::uint32_t from = file_sequence_ ? *file_sequence_ + 1 : cursor_.file_sequence;
  const auto next = std::find_if(files_.begin(), files_.end(),
                                 [from](const SegmentFile& file) { return file.sequence >= from; });
  if (next == files_.end()) return false;
  file_sequence_ = next->sequence;
  path_ = next->path;
  section_number_.reset();
  section_.reset();
  reader_.reset();
  trace::ReadError error;
  file_ = open_files_.open(path_, &error);
  if (file_ == nullptr) {
    report_.note(std::move(error));
    return open_file();
  }
  reader_ = std::make_unique<trace::BlockReader>(*file_, 0, file_->size(), &report_);
  reader_->set_growing(true);
  return true;
}

// The next block of the files; false if none is complete now. A file is left when a later one
// exists and nothing more is in it.
bool SegmentSource::read_block(Block& block, bool may_leave_file) {
  if (reader_ == nullptr && !open_file()) return false;
  for (;;) {
    if (reader_->next(block)) return true;
    const bool has_later = files_.back().sequence > *file_sequence_;
    file_->look_again();
    if (file_->size() > reader_->end()) {
      reader_->set_end(file_->size());
      if (reader_->next(block)) return true;
    }
    if (!has_later || !may_leave_file || !open_file()) return false;
  }
}

// Whether the cursor is past the block.
bool SegmentSource::is_shipped(const Block& block) const {
  const auto place = std::pair(*file_sequence_, *section_number_);
  const auto shipped = std::pair(cursor_.file_sequence, cursor_.section);
  if (place != shipped) return place < shipped;
  trace::ExtentHeader extent;
  if (block.frame.type == BlockType::kExtent && trace::ExtentHeader::parse(block.payload, extent)) {
    const auto next = cursor_.next_sequence.find(extent.stream_id);
    return next != cursor_.next_sequence.end() &&
           extent.first_sequence + extent.records <= next->second;
  }
  return block_number_ < cursor_.blocks;
}

void SegmentSource::begin_section(const Block& block, PreparedMessage& prepared) {
  section_number_ = section_number_ ? *section_number_ + 1 : 0;
  block_number_ = 0;
  section_.reset();
  trace::SectionHeader header;
  // A section of another segment in the same file is not ours.
  if (!trace::SectionHeader::parse(block.payload, header) || header.uuid != uuid_) return;
  section_.emplace();
  section_->header = whole(block);
  add(block, prepared);
}

// Adds the block to the message, unless it was shipped; remembers what later messages repeat.
void SegmentSource::add(const Block& block, PreparedMessage& prepared) {
  const BlockType type = block.frame.type;
  const bool travels =
      type != BlockType::kDictionary && type != BlockType::kIndex && type != BlockType::kShipped;
  ExtentMessage& message = prepared.message;
  if (travels && !is_shipped(block)) {
    if (message.blocks.empty() && type != BlockType::kHeader) {
      message.repeated = section_->header;
      for (const Bytes& clock : section_->clocks) append(message.repeated, clock);
    }
    if (message.blocks.empty()) message.first_block = block_number_;
    append(message.blocks, whole(block));
    trace::ExtentHeader extent;
    if (type == BlockType::kExtent && trace::ExtentHeader::parse(block.payload, extent)) {
      prepared.records += extent.records;
      prepared.lost += extent.dropped;
      prepared.after.next_sequence[extent.stream_id] = extent.first_sequence + extent.records;
    }
  }
  if (travels) ++block_number_;
  trace::StreamBlock stream;
  if (type == BlockType::kDictionary) {
    section_->dictionary.add(block.payload);
  } else if (type == BlockType::kClock) {
    section_->clocks.push_back(whole(block));
    if (section_->clocks.size() > kRepeatedClocks) section_->clocks.pop_front();
  } else if (type == BlockType::kStream && trace::StreamBlock::parse(block.payload, stream)) {
    section_->streams[stream.stream_id] = whole(block);
  }
}

// Those of the message's extents that it does not describe itself.
void SegmentSource::repeat_streams(ExtentMessage& message) const {
  std::set<std::uint64_t> needed;
  std::set<std::uint64_t> described;
  for_each_block(
      message.blocks, [&](const trace::BlockFrame& frame, std::span<const std::byte> block) {
        const auto payload = block.subspan(trace::kBlockHeaderBytes);
        trace::ExtentHeader extent;
        trace::StreamBlock stream;
        if (frame.type == BlockType::kExtent && trace::ExtentHeader::parse(payload, extent)) {
          needed.insert(extent.stream_id);
        } else if (frame.type == BlockType::kStream && trace::StreamBlock::parse(payload, stream)) {
          described.insert(stream.stream_id);
        }
      });
  for (const std::uint64_t id : needed) {
    const auto found = section_->streams.find(id);
    if (found != section_->streams.end() && !described.contains(id))
      append(message.repeated, found->second);
  }
}

std::optional<PreparedMessage> SegmentSource::next(std::size_t most_bytes) {
  PreparedMessage prepared;
  prepared.after = cursor_;
  ExtentMessage& message = prepared.message;
  Block block;
  if (!held_.empty()) {
    const Bytes held = std::exchange(held_, {});
    trace::parse_block_frame(held, block.frame);
    block.payload = std::span(held).subspan(trace::kBlockHeaderBytes);
    begin_section(block, prepared);
  }
  while (message.blocks.size() < most_bytes && read_block(block, message.blocks.empty())) {
    if (block.frame.type == BlockType::kHeader) {
      if (!message.blocks.empty()) {
        held_ = whole(block);
        break;
      }
      begin_section(block, prepared);
    } else if (section_) {
      add(block, prepared);
      if (block.frame.type == BlockType::kEnd && !message.blocks.empty()) break;
    }
  }
  if (message.blocks.empty()) return std::nullopt;
  prepared.since = std::min(std::filesystem::file_time_type::clock::now(), written_last(path_));
  message.uuid = uuid_;
  message.file_sequence = *file_sequence_;
  message.section = *section_number_;
  prepared.contents = section_->dictionary.cut();
  message.manifest = section_->dictionary.manifest();
  repeat_streams(message);
  prepared.after.file_sequence = message.file_sequence;
  prepared.after.section = message.section;
  prepared.after.blocks = block_number_;
  cursor_ = prepared.after;
  return prepared;
}

}  // namespace ringside::fleet
