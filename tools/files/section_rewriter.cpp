#include "tools/files/section_rewriter.hpp"

#include <algorithm>
#include <array>

#include "shm-layout/dictionary_entry.hpp"
#include "trace-format/blocks/little_endian.hpp"

namespace ringside::tool {
namespace {

using trace::Block;
using trace::BlockType;
using trace::ExtentHeader;
using trace::load;

constexpr std::size_t kSiteIdEnd = 12;  // in a dictionary entry

// Writes a block of any size into the buffer.
template <class Make>
std::span<const std::byte> make_block(std::vector<std::byte>& buffer, Make&& make) {
  constexpr std::size_t kMostBytes = trace::kBlockHeaderBytes + trace::kMaxPayloadBytes;
  if (buffer.size() < 4096) buffer.resize(4096);
  for (;;) {
    const std::size_t bytes = make(std::span(buffer));
    if (bytes != 0 || buffer.size() >= kMostBytes) return std::span(buffer).first(bytes);
    buffer.resize(std::min(kMostBytes, 4 * buffer.size()));
  }
}

}  // namespace

SectionRewriter::SectionRewriter(trace::TraceFile& file, const trace::SectionScan& scan,
                                 const Cut& cut, SectionWriter& writer, trace::ReadReport& report)
    : file_(file),
      scan_(scan),
      cut_(cut),
      writer_(writer),
      report_(report),
      reencoder_([this](const ExtentHeader& header, std::span<const std::byte> block_bytes) {
        write_extent(header, block_bytes.first(trace::kBlockHeaderBytes),
                     block_bytes.subspan(trace::kBlockHeaderBytes));
      }),
      clock_(scan.clocks) {}

void SectionRewriter::run() {
  trace::BlockReader blocks(file_, scan_.begin, scan_.end, &report_);
  Block block;
  while (!stopped_ && blocks.next(block)) take(block);
  if (open_) write_earlier_collection();
  if (open_) writer_.end(cut_.everything ? reason_ : trace::EndReason::kCut);
}

void SectionRewriter::take(const Block& block) {
  if (block.frame.type == BlockType::kHeader) return take_header(block);
  if (!has_header_) write_header({});
  switch (block.frame.type) {
    case BlockType::kDictionary:
      return take_dictionary(block);
    case BlockType::kStream:
      return take_stream(block);
    case BlockType::kExtent:
      return take_extent(block);
    case BlockType::kSequencePoint:
      return take_point(block);
    case BlockType::kClock: {
      trace::ClockPoint point;
      if (!trace::ClockPoint::parse(block.payload, point)) {
        return leave_out(block.offset, "a CLOCK block is too short");
      }
      has_clock_ = true;
      return copy(block);
    }
    case BlockType::kIndex:
    case BlockType::kShipped:  // of the file that it was in
      return;
    case BlockType::kEnd: {
      trace::EndBlock end;
      if (trace::EndBlock::parse(block.payload, end)) reason_ = end.reason;
      return;
    }
    case BlockType::kLosses:
      return take_losses(block);
    case BlockType::kCallCosts:
      return take_call_costs(block);
    case BlockType::kCollection:
      return take_collection(block);
    default:
      break;
  }
  const bool is_known =
      block.frame.type == BlockType::kStackTable || block.frame.type == BlockType::kStringTable;
  if (!is_known && (block.frame.flags & trace::kBlockCritical) != 0) {
    stopped_ = true;
    return leave_out(block.offset, "a block requires a newer ringcat; the rest of its section");
  }
  copy(block);
}

void SectionRewriter::take_header(const Block& block) {
  trace::SectionHeader header;
  if (has_header_ || !trace::SectionHeader::parse(block.payload, header)) {
    return leave_out(block.offset, "a HEADER block is too short");
  }
  has_header_ = true;
  copy(block);
  if (cut_.everything) open();
}

void SectionRewriter::write_header(const trace::SectionHeader& header) {
  has_header_ = true;
  write(make_block(buffer_, [&](auto out) { return trace::write_header_block(header, out); }));
  if (cut_.everything) open();
}

void SectionRewriter::take_dictionary(const Block& block) {
  std::size_t at = 0;
  while (at < block.payload.size()) {
    const auto left = block.payload.subspan(at);
    const std::size_t bytes = left.size() < 8 ? 0 : load<std::uint32_t>(left.data());
    std::string why = "a truncated entry";
    if (bytes < 8 || bytes > left.size() || !sites_.add(left.first(bytes), &why)) {
      leave_out(block.offset, "a damaged dictionary entry and the rest of its block: " + why);
      break;
    }
    std::vector<std::byte> entry(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(bytes));
    const bool is_site = shm::is_site_entry(load<std::uint16_t>(left.data() + 4));
    if (is_site && bytes >= kSiteIdEnd) {
      const auto id = load<std::uint32_t>(left.data() + 8);
      reencoder_.add_sites(entry, &why);
      if (!cut_.everything) entries_.try_emplace(id, std::move(entry));
    } else if (!cut_.everything) {
      write(
          make_block(buffer_, [&](auto out) { return trace::write_dictionary_block(entry, out); }));
    }
    at += bytes;
  }
  if (!cut_.everything || at == 0) return;
  if (at == block.payload.size()) return copy(block);
  write(make_block(buffer_, [&](auto out) {
    return trace::write_dictionary_block(block.payload.first(at), out);
  }));
}

void SectionRewriter::take_stream(const Block& block) {
  trace::StreamBlock stream;
  if (!trace::StreamBlock::parse(block.payload, stream)) {
    return leave_out(block.offset, "a STREAM block is too short");
  }
  stream_blocks_[stream.stream_id].assign(block.payload.begin(), block.payload.end());
  if (cut_.everything || announced_.contains(stream.stream_id)) {
    announced_.insert(stream.stream_id);
    copy(block);
  }
}

bool SectionRewriter::wants(std::uint64_t tsc) const {
  if (cut_.everything) return true;
  const std::uint64_t unix_ns = clock_.unix_ns(tsc);
  return unix_ns >= cut_.since_ns && unix_ns < cut_.until_ns;
}

bool SectionRewriter::wants_stream(std::uint64_t stream_id) {
  if (cut_.everything || !cut_.stream) return true;
  trace::StreamBlock stream;
  const auto known = stream_blocks_.find(stream_id);
  if (known != stream_blocks_.end()) trace::StreamBlock::parse(known->second, stream);
  stream.stream_id = stream_id;
  return cut_.stream(stream);
}

// Whether the extent can be copied unchanged: its records match its head.
bool SectionRewriter::is_sound(const Block& block, const ExtentHeader& header) {
  if (header.dropped > header.first_sequence) return false;
  const bool is_late = header.min_tsc < watermark_;
  if (header.records != 0 && is_late && (header.flags & trace::kExtentLate) == 0) return false;
  std::string why;
  if (!decoder_.open(block.payload, sites_, &why)) return false;
  std::uint64_t count = 0;
  std::uint64_t before = 0;
  std::uint64_t smallest = header.base_tsc;
  std::uint64_t largest = header.base_tsc;
  bool base_fits = true;
  bool rising = true;
  decoder_.for_each([&](const trace::RecordView& record) {
    const std::uint64_t head =
        record.extension == nullptr ? record.tsc : trace::head_tsc(record.tsc, *record.extension);
    if (count++ == 0) base_fits = head == header.base_tsc;
    rising = rising && record.tsc >= before;
    before = head;
    smallest = std::min(smallest, record.tsc);
    largest = std::max(largest, head);
  });
  return !decoder_.failed() && count == header.records && base_fits && smallest == header.min_tsc &&
         largest == header.max_tsc && rising == ((header.flags & trace::kExtentUnordered) == 0);
}

bool SectionRewriter::is_inside(const ExtentHeader& header) const {
  return wants(header.min_tsc) && wants(header.max_tsc) && wants(header.base_tsc);
}

void SectionRewriter::take_extent(const Block& block) {
  ExtentHeader header;
  if (!ExtentHeader::parse(block.payload, header)) {
    return leave_out(block.offset, "an extent is shorter than its header");
  }
  const std::uint64_t first =
      header.first_sequence - std::min(header.dropped, header.first_sequence);
  const std::uint64_t behind = header.first_sequence + header.records;
  const auto [next, is_new] = read_next_.try_emplace(header.stream_id, first);
  const std::uint64_t expected = next->second;
  next->second = std::max(expected, behind);
  if (!wants_stream(header.stream_id) || behind == first) return;
  if (!is_new && behind <= expected) {
    return leave_out(block.offset, "an extent repeats records before it");
  }
  // A gap before the first copied extent must not look like the beginning of the stream.
  const bool shows_gap =
      first > expected && wants(header.base_tsc) && !written_next_.contains(header.stream_id);
  if (shows_gap) write_position(header.stream_id, expected);
  if (is_sound(block, header)) {
    if (is_inside(header)) {
      std::array<std::byte, trace::kBlockHeaderBytes> frame{};
      if (file_.read(block.offset, frame) != frame.size()) return;
      return write_extent(header, frame, block.payload);
    }
  } else {
    report_.note({file_.path(), block.offset, "a damaged extent", "its intact records are kept"});
    ++report_.damaged_blocks;
    report_.damaged_bytes += block.frame.block_bytes();
  }
  encode_again(block, header);
}

void SectionRewriter::write_entry(std::uint32_t site_id) {
  const auto entry = entries_.find(site_id);
  if (entry == entries_.end() || entry->second.empty()) return;
  write(make_block(buffer_,
                   [&](auto out) { return trace::write_dictionary_block(entry->second, out); }));
  entry->second = {};  // written; a later entry of this id is ignored
}

// Only the records that are wanted.
void SectionRewriter::encode_again(const Block& block, const ExtentHeader& header) {
  reencoder_.begin(header, watermark_);
  if (wants(header.base_tsc)) reencoder_.add_losses(header);
  std::string why;
  if (decoder_.open(block.payload, sites_, &why)) {
    trace::Record record;
    while (decoder_.next(record)) {
      if (wants(record.tsc)) reencoder_.add(record);
    }
  }
  reencoder_.end_run();
  if (reencoder_.has_failed())
    leave_out(block.offset, "records of an extent cannot be encoded again");
}

void SectionRewriter::write_extent(const ExtentHeader& header, std::span<const std::byte> frame,
                                   std::span<const std::byte> payload) {
  announce(header.stream_id);
  const auto ids = payload.subspan(
      std::min<std::size_t>(payload.size(), trace::kExtentHeaderBytes + header.records_bytes));
  for (std::size_t i = 0; i + 4 <= ids.size() && !entries_.empty(); i += 4) {
    write_entry(load<std::uint32_t>(ids.data() + i));
  }
  writer_.add(frame, payload);
  std::uint64_t& next = written_next_[header.stream_id];
  next = std::max(next, header.first_sequence + header.records);
  moved_ = true;
}

// Writes the blocks that must come before a stream's first extent.
void SectionRewriter::announce(std::uint64_t stream_id) {
  open();
  if (!has_clock_) {
    has_clock_ = true;
    const trace::ClockPoint point = scan_.clocks.points().front();
    write(make_block(buffer_, [&](auto out) { return trace::write_clock_block(point, out); }));
  }
  if (!announced_.insert(stream_id).second) return;
  trace::StreamBlock stream;
  const auto known = stream_blocks_.find(stream_id);
  if (known != stream_blocks_.end()) trace::StreamBlock::parse(known->second, stream);
  stream.stream_id = stream_id;
  write(make_block(buffer_, [&](auto out) { return trace::write_stream_block(stream, out); }));
}

// States that the stream's records up to `sequence` are not part of this file.
void SectionRewriter::write_position(std::uint64_t stream_id, std::uint64_t sequence) {
  announce(stream_id);
  const std::array positions{trace::StreamPosition{stream_id, sequence}};
  write(make_block(buffer_, [&](auto out) {
    return trace::write_sequence_point_block(watermark_, positions, out);
  }));
  written_next_.try_emplace(stream_id, sequence);
}

void SectionRewriter::take_point(const Block& block) {
  std::uint64_t watermark = 0;
  if (block.payload.size() < trace::kSequencePointFixedBytes ||
      !trace::parse_watermark(block.payload, watermark)) {
    return leave_out(block.offset, "a sequence point is too short");
  }
  if (watermark < read_watermark_) {
    return leave_out(block.offset, "a sequence point is older than the one before");
  }
  read_watermark_ = watermark;
  const std::size_t room =
      (block.payload.size() - trace::kSequencePointFixedBytes) / trace::kSequencePointEntryBytes;
  const std::size_t count =
      std::min<std::size_t>(load<std::uint32_t>(block.payload.data() + 8), room);
  std::vector<trace::StreamPosition> positions;
  bool all_kept = count == load<std::uint32_t>(block.payload.data() + 8);
  const bool in_window = wants(watermark);
  for (std::size_t i = 0; i < count; ++i) {
    const std::byte* const entry = block.payload.data() + trace::kSequencePointFixedBytes +
                                   i * trace::kSequencePointEntryBytes;
    const auto stream_id = load<std::uint64_t>(entry);
    const auto sequence = load<std::uint64_t>(entry + 8);
    const auto [next, is_new] = read_next_.try_emplace(stream_id, sequence);
    const std::uint64_t expected = next->second;
    next->second = std::max(expected, sequence);
    if (sequence < expected) {
      all_kept = false;
      continue;
    }
    const bool loses = sequence > expected && in_window && wants_stream(stream_id);
    if (cut_.everything) {
      positions.push_back({stream_id, sequence});
    } else if (loses) {
      if (!written_next_.contains(stream_id)) write_position(stream_id, expected);
      written_next_[stream_id] = sequence;
      positions.push_back({stream_id, sequence});
      moved_ = true;
    } else if (written_next_.contains(stream_id)) {
      positions.push_back({stream_id, written_next_[stream_id]});
    }
  }
  if (cut_.everything && all_kept) {
    watermark_ = watermark;
    return copy(block);
  }
  if (!all_kept) leave_out(block.offset, "streams of a sequence point have other positions");
  if (!cut_.everything && !moved_) return;
  moved_ = false;
  watermark_ = watermark;
  write(make_block(buffer_, [&](auto out) {
    return trace::write_sequence_point_block(watermark, positions, out);
  }));
}

void SectionRewriter::leave_out(std::uint64_t offset, const std::string& what) {
  report_.note({file_.path(), offset, what, "left out"});
  ++report_.damaged_blocks;
}

void SectionRewriter::copy(const Block& block) {
  std::vector<std::byte> bytes(block.frame.block_bytes());
  if (file_.read(block.offset, bytes) == bytes.size()) write(bytes);
}

void SectionRewriter::write(std::span<const std::byte> block) {
  if (block.empty()) return;
  if (open_) {
    writer_.add(block);
  } else {
    waiting_.emplace_back(block.begin(), block.end());
  }
}

void SectionRewriter::open() {
  if (open_) return;
  open_ = true;
  for (const auto& block : waiting_) writer_.add(block);
  waiting_.clear();
}

}  // namespace ringside::tool
