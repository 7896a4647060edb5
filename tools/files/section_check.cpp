#include "tools/files/section_check.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "trace-format/blocks/block_writer.hpp"
#include "trace-format/blocks/call_costs_block.hpp"
#include "trace-format/blocks/clock_map.hpp"
#include "trace-format/blocks/little_endian.hpp"
#include "trace-format/blocks/losses_block.hpp"

namespace ringside::tool {
namespace {

using trace::BlockType;
using trace::load;

}  // namespace

SectionCheck::SectionCheck(std::uint64_t begin, StreamNumbers& numbers, Complain complain)
    : begin_(begin), numbers_(numbers), complain_(std::move(complain)) {}

void SectionCheck::take(const trace::Block& block) {
  const std::uint64_t offset = block.offset - begin_;
  const std::uint64_t end = block.offset + block.frame.block_bytes();
  switch (block.frame.type) {
    case BlockType::kHeader:
      return take_header(block);
    case BlockType::kDictionary: {
      metadata_.push_back(offset);
      std::string why;
      if (!sites_.add(block.payload, &why)) complain(block.offset, "damaged dictionary: " + why);
      return;
    }
    case BlockType::kClock: {
      metadata_.push_back(offset);
      trace::ClockPoint point;
      if (!trace::ClockPoint::parse(block.payload, point)) {
        complain(block.offset, "a CLOCK block is too short");
      }
      has_clock_ = true;
      return;
    }
    case BlockType::kStream: {
      metadata_.push_back(offset);
      trace::StreamBlock stream;
      if (!trace::StreamBlock::parse(block.payload, stream)) {
        complain(block.offset, "a STREAM block is too short");
      } else {
        streams_[stream.stream_id] = true;
      }
      return;
    }
    case BlockType::kExtent:
      return take_extent(block);
    case BlockType::kSequencePoint:
      return take_point(block);
    case BlockType::kIndex:
      take_index(block);
      index_offset_ = block.offset;
      behind_index_ = end;
      return;
    case BlockType::kEnd:
      return take_end(block);
    case BlockType::kLosses: {
      trace::LossesBlock losses;
      if (!trace::LossesBlock::parse(block.payload, losses)) {
        complain(block.offset, "a LOSSES block is too short");
      }
      return;
    }
    case BlockType::kCollection:
      return take_collection(block);
    case BlockType::kCallCosts: {
      trace::CallCostsBlock costs;
      if (!trace::CallCostsBlock::parse(block.payload, costs)) {
        complain(block.offset, "a CALL_COSTS block is invalid");
      }
      return;
    }
    case BlockType::kStackTable:
    case BlockType::kStringTable:
    case BlockType::kShipped:
      return;
  }
  if ((block.frame.flags & trace::kBlockCritical) != 0) {
    complain(block.offset,
             fmt::format("a critical block has the unknown type {}; use a newer ringcat",
                         static_cast<unsigned>(block.frame.type)));
  }
}

void SectionCheck::take_header(const trace::Block& block) {
  trace::SectionHeader header;
  has_header_ = true;
  if (!trace::SectionHeader::parse(block.payload, header)) {
    return complain(block.offset, "a HEADER block is too short");
  }
  uuid_ = header.uuid;
  if (std::pair(header.reader_major, header.reader_minor) >
      std::pair(trace::kFormatMajor, trace::kFormatMinor)) {
    complain(block.offset,
             fmt::format("the section requires a reader of format {}.{}; use a newer ringcat",
                         header.reader_major, header.reader_minor));
  }
}

// Sets the number of the stream's next record.
void SectionCheck::expect(std::uint64_t offset, std::uint64_t stream_id, std::uint64_t sequence) {
  const auto [it, is_new] = numbers_.try_emplace({uuid_, stream_id}, sequence);
  if (is_new || sequence <= it->second) return;
  const std::uint64_t missing = sequence - it->second;
  counts_.missing += missing;
  ++counts_.gaps;
  complain(offset, fmt::format("{} records of stream {} are missing, from number {} on", missing,
                               stream_id, it->second));
  it->second = sequence;
}

void SectionCheck::take_extent(const trace::Block& block) {
  trace::ExtentHeader header;
  if (!trace::ExtentHeader::parse(block.payload, header)) {
    return complain(block.offset, "an extent is shorter than its header");
  }
  ++counts_.extents;
  (header.has_lost() ? counts_.dropped : counts_.not_selected) += header.dropped;
  const std::uint64_t offset = block.offset - begin_;
  if (!has_clock_) complain(block.offset, "an extent precedes the first CLOCK block");
  if (!streams_.contains(header.stream_id)) {
    complain(block.offset, fmt::format("an extent belongs to stream {}, which has no STREAM block",
                                       header.stream_id));
    streams_[header.stream_id] = false;
  }
  if (header.dropped > header.first_sequence) {
    complain(block.offset,
             "an extent reports more losses than there are sequence numbers before it");
  }
  const std::uint64_t first =
      header.first_sequence - std::min(header.dropped, header.first_sequence);
  expect(block.offset, header.stream_id, first);
  std::uint64_t& next = numbers_[{uuid_, header.stream_id}];
  if (first < next) {
    complain(block.offset, fmt::format("stream {} goes back from number {} to {}", header.stream_id,
                                       next, first));
  }
  next = std::max(next, header.first_sequence + header.records);
  const bool late = (header.flags & trace::kExtentLate) != 0;
  if (late) {
    ++counts_.late_extents;
    late_.push_back({header.min_tsc, offset});
  }
  if (header.records != 0 && header.min_tsc < watermark_ && !late) {
    complain(block.offset,
             "an extent is older than the sequence point before it, but not flagged late");
  }
  min_tsc_ = std::min(min_tsc_, header.min_tsc);
  max_tsc_ = std::max(max_tsc_, header.max_tsc);
  if (header.records != 0) decode(block, header);
}

void SectionCheck::decode(const trace::Block& block, const trace::ExtentHeader& header) {
  std::string why;
  if (!decoder_.open(block.payload, sites_, &why)) {
    return complain(block.offset, "cannot decode an extent: " + why);
  }
  std::uint64_t count = 0;
  std::uint64_t first = 0;
  std::uint64_t smallest = UINT64_MAX;
  std::uint64_t largest = 0;
  std::uint64_t before = 0;
  bool rising = true;
  decoder_.for_each([&](const trace::RecordView& record) {
    const std::uint64_t head =
        record.extension == nullptr ? record.tsc : trace::head_tsc(record.tsc, *record.extension);
    if (count++ == 0) first = head;
    rising = rising && record.tsc >= before;
    before = head;
    smallest = std::min(smallest, record.tsc);
    largest = std::max(largest, head);
  });
  counts_.records += count;
  if (decoder_.failed()) {
    return complain(block.offset, fmt::format("cannot decode an extent after {} of {} records: {}",
                                              count, header.records, decoder_.failure()));
  }
  if (first != header.base_tsc || smallest != header.min_tsc || largest != header.max_tsc) {
    complain(block.offset, "the times of an extent's records do not match its header");
  }
  if (rising == ((header.flags & trace::kExtentUnordered) != 0)) {
    complain(block.offset, rising ? "an extent is flagged unordered, but in order"
                                  : "an extent is out of order, but not flagged unordered");
  }
}

void SectionCheck::take_point(const trace::Block& block) {
  std::uint64_t watermark = 0;
  if (block.payload.size() < trace::kSequencePointFixedBytes ||
      !trace::parse_watermark(block.payload, watermark)) {
    return complain(block.offset, "a sequence point is too short");
  }
  const std::uint64_t count = load<std::uint32_t>(block.payload.data() + 8);
  const std::size_t room =
      (block.payload.size() - trace::kSequencePointFixedBytes) / trace::kSequencePointEntryBytes;
  if (count > room) complain(block.offset, "a sequence point ends before its last stream");
  if (watermark < watermark_)
    complain(block.offset, "a sequence point is older than the one before");
  points_.push_back({block.offset - begin_, watermark, max_tsc_});
  watermark_ = std::max(watermark_, watermark);
  for (std::size_t i = 0; i < std::min<std::size_t>(count, room); ++i) {
    const std::byte* const entry = block.payload.data() + trace::kSequencePointFixedBytes +
                                   i * trace::kSequencePointEntryBytes;
    const auto stream_id = load<std::uint64_t>(entry);
    const auto sequence = load<std::uint64_t>(entry + 8);
    expect(block.offset, stream_id, sequence);
    const std::uint64_t next = numbers_[{uuid_, stream_id}];
    if (sequence < next) {
      complain(
          block.offset,
          fmt::format(
              "a sequence point has stream {} at number {}, but the records before it end at {}",
              stream_id, sequence, next - 1));
    }
  }
}

// Kinds that this version does not know are left to newer ones.
void SectionCheck::take_collection(const trace::Block& block) {
  trace::CollectionKind kind{};
  if (!trace::parse_collection_kind(block.payload, kind)) {
    return complain(block.offset, "a COLLECTION block is too short");
  }
  if (kind == trace::CollectionKind::kState) {
    has_collection_ = trace::CollectionState::parse(block.payload, collection_);
    if (!has_collection_)
      return complain(block.offset, "a COLLECTION block ends before its last entry");
    if (collection_.since_tsc > collection_.until_tsc) {
      complain(block.offset, "a COLLECTION block states a change that ends before it begins");
    }
    const auto by_id = [](const auto& a, const auto& b) { return a.site_id < b.site_id; };
    if (!std::is_sorted(collection_.statements.begin(), collection_.statements.end(), by_id)) {
      complain(block.offset,
               "the statements of a COLLECTION block are not in the order of their ids");
    }
    return;
  }
  if (kind != trace::CollectionKind::kEffects) return;
  std::vector<trace::RuleEffect> effects;
  if (!trace::parse_rule_effects(block.payload, effects)) {
    return complain(block.offset, "a COLLECTION block ends before its last entry");
  }
  if (!has_collection_) {
    return complain(block.offset,
                    "a COLLECTION block states effects of rules that no block before it states");
  }
  for (const trace::RuleEffect& effect : effects) {
    if (effect.sample_rule <= collection_.rules.size()) continue;
    return complain(block.offset,
                    fmt::format("a COLLECTION block refers to rule {}, but there are {}",
                                effect.sample_rule, collection_.rules.size()));
  }
}

// Everything in it can be derived from the blocks before it.
void SectionCheck::take_index(const trace::Block& block) {
  const std::byte* p = block.payload.data();
  if (block.payload.size() < trace::kIndexFixedBytes)
    return complain(block.offset, "an INDEX is too short");
  const std::uint64_t metadata = load<std::uint32_t>(p + 24);
  const std::uint64_t late = load<std::uint32_t>(p + 28);
  const std::uint64_t points = load<std::uint32_t>(p + 32);
  if (trace::kIndexFixedBytes + 8 * metadata + 16 * late + 24 * points > block.payload.size()) {
    return complain(block.offset, "an INDEX ends before its last entry");
  }
  if (load<std::uint64_t>(p) != block.offset - begin_) {
    complain(block.offset, "an INDEX has the wrong offset of itself");
  }
  if (load<std::uint64_t>(p + 8) != min_tsc_ || load<std::uint64_t>(p + 16) != max_tsc_) {
    complain(block.offset, "the times of an INDEX do not match the section");
  }
  p += trace::kIndexFixedBytes;
  const auto take_u64 = [&p] {
    const auto value = load<std::uint64_t>(p);
    p += 8;
    return value;
  };
  std::vector<std::uint64_t> their_metadata(metadata);
  for (auto& offset : their_metadata) offset = take_u64();
  std::vector<Late> their_late(late);
  for (auto& entry : their_late) entry = {take_u64(), take_u64()};
  std::vector<Point> their_points(points);
  for (auto& entry : their_points) entry = {take_u64(), take_u64(), take_u64()};
  if (their_metadata != metadata_) {
    complain(block.offset, "an INDEX does not list all CLOCK, DICTIONARY and STREAM blocks");
  }
  if (their_late != late_) complain(block.offset, "an INDEX does not list all late extents");
  // A writer may omit some.
  auto known = points_.begin();
  for (const Point& point : their_points) {
    known = std::find(known, points_.end(), point);
    if (known == points_.end()) {
      return complain(block.offset, "an INDEX lists a sequence point that does not exist");
    }
  }
}

void SectionCheck::take_end(const trace::Block& block) {
  ended_ = true;
  if (block.payload.size() < trace::kEndBytesWithoutIndex) {
    return complain(block.offset, "an END is too short");
  }
  const auto records = load<std::uint64_t>(block.payload.data());
  const auto dropped = load<std::uint64_t>(block.payload.data() + 8);
  const bool is_counted = records != trace::kUncounted || dropped != trace::kUncounted;
  if (has_header_ && is_counted && (records != counts_.records || dropped != counts_.dropped)) {
    complain(
        block.offset,
        fmt::format("an END counts {} records and {} dropped ones, but the section has {} and {}",
                    records, dropped, counts_.records, counts_.dropped));
  }
  std::uint64_t distance = 0;
  if (block.payload.size() >= trace::kEndBytes) {
    distance = load<std::uint64_t>(block.payload.data() + 24);
  }
  const bool index_in_front = index_offset_ != 0 && behind_index_ == block.offset;
  if (distance != (index_in_front ? block.offset - index_offset_ : 0)) {
    complain(block.offset, "an END does not point to an INDEX");
  }
}

}  // namespace ringside::tool
