// SectionReader's walk through the blocks.
#include <algorithm>
#include <string>

#include "trace-format/blocks/block_writer.hpp"
#include "trace-format/blocks/little_endian.hpp"
#include "trace-format/blocks/losses_block.hpp"
#include "trace-format/reader/section_reader.hpp"

namespace ringside::trace {
namespace {

LossCause loss_cause(std::uint32_t stored) {
  return stored <= static_cast<std::uint32_t>(LossCause::kOverwritten) ||
                 stored == static_cast<std::uint32_t>(LossCause::kAbandoned)
             ? static_cast<LossCause>(stored)
             : LossCause::kUnknown;
}

// The site table of an extent, empty if it has no valid one.
std::span<const std::byte> site_ids(const Block& block, const ExtentHeader& header) {
  const auto rest = block.payload.subspan(kExtentHeaderBytes);
  return rest.subspan(std::min<std::size_t>(header.records_bytes, rest.size()));
}

}  // namespace

void SectionReader::take_block(const Block& block) {
  switch (block.frame.type) {
    case BlockType::kDictionary:
    case BlockType::kClock:
    case BlockType::kStream: {
      const bool known =
          std::binary_search(scan_.metadata.begin(), scan_.metadata.end(), block.offset);
      if (known) {
        // A second STREAM block for a stream applies from here.
        if (block.frame.type == BlockType::kStream) take_metadata(block);
        return;
      }
      if (scan_.indexed) {
        doubt_index(block.offset, "a block is not listed");
        return;
      }
      waiting_.settle();
      ClockPoint point;
      if (block.frame.type != BlockType::kClock) {
        take_metadata(block);
      } else if (following_ && ClockPoint::parse(block.payload, point)) {
        scan_.clocks.add(point);
        window_ = ReadWindow(*context_.options, scan_.clocks);
      }
      return;
    }
    case BlockType::kExtent:
      take_extent(block);
      return;
    case BlockType::kLosses:
      take_losses(block);
      return;
    case BlockType::kEnd:
      has_end_block_ = true;
      if (following_) end_section(block.offset + block.frame.block_bytes());
      return;
    case BlockType::kHeader:
      if (following_ && block.offset != scan_.begin) end_section(block.offset);
      return;
    case BlockType::kSequencePoint:
    case BlockType::kStackTable:
    case BlockType::kStringTable:
    case BlockType::kIndex:
      return;
  }
  ++report_.skipped_blocks;
  if ((block.frame.flags & kBlockCritical) != 0) {
    note(block.offset,
         "a critical block has the unknown type " +
             std::to_string(static_cast<unsigned>(block.frame.type)) +
             ": the rest of the section cannot be read",
         "use a newer ringcat");
    stopped_ = true;
  }
}

// A followed section has no end that is known in advance.
void SectionReader::end_section(std::uint64_t next_section) {
  next_section_ = next_section;
  stopped_ = true;
}

void SectionReader::take_extent(const Block& block) {
  ExtentHeader header;
  if (!ExtentHeader::parse(block.payload, header)) {
    note(block.offset, "an extent is shorter than its header", "its records are lost");
    ++report_.damaged_blocks;
    return;
  }
  if (scan_.indexed && !catalog_.knows(site_ids(block, header))) {
    // doubt_index() walks the headers, which invalidates `block`: so read it again.
    doubt_index(block.offset, "a dictionary block is not listed");
    Block again;
    if (far_blocks_.read_at(block.offset, again)) take_extent(again);
    return;
  }
  if (catalog_.stream(header.stream_id).wanted) {
    add_gap(context_.ledger->expect(
        context_.place, header.stream_id,
        header.first_sequence - std::min(header.dropped, header.first_sequence), header.base_tsc));
    context_.ledger->seen(context_.place, header.stream_id, header.first_sequence + header.records);
  }
  if (taken_early_.erase(block.offset) == 0) wait_for(block, header);
}

void SectionReader::take_losses(const Block& block) {
  LossesBlock losses;
  if (!LossesBlock::parse(block.payload, losses)) {
    note(block.offset, "a LOSSES block is shorter than its count",
         "the losses that it lists are unknown");
    ++report_.damaged_blocks;
    return;
  }
  const auto take = [&](const LossCount& count, bool by_site) {
    const std::uint64_t lost = context_.ledger->counted().add(count, by_site);
    if (lost == 0) return;
    add_loss({{losses.until_tsc, 0, 0, lost},
              shm::is_told_by_site(count.cause) ? count.cause : LossCause::kUnknown,
              losses.since_tsc,
              by_site,
              count.site_id});
  };
  const bool wanted = catalog_.stream(0).wanted;
  for (const LossCount& count : losses.without_stream) {
    if (wanted && shm::is_lost(count.cause)) take(count, false);
  }
  if (!context_.options->site_losses) return;
  for (const LossCount& count : losses.by_site) {
    const Site* const site = catalog_.sites().find(count.site_id);
    const auto& chosen = context_.options->site;
    if (!chosen || (site != nullptr && chosen(*site, *scan_.segment))) take(count, true);
  }
}

void SectionReader::wait_for(const Block& block, const ExtentHeader& header) {
  ++report_.extents;
  if (!catalog_.stream(header.stream_id).wanted) return;
  SectionCatalog::Stream& stream = catalog_.stream(header.stream_id);
  if (header.dropped != 0) {
    add_loss({{header.base_tsc, header.stream_id, header.first_sequence - header.dropped,
               header.dropped},
              loss_cause(header.drop_cause),
              std::max(stream.last_tsc, stream.info.start_tsc)});
  }
  stream.last_tsc = std::max(stream.last_tsc, header.max_tsc);
  if (header.records == 0 || window_.ends_before(header.max_tsc) ||
      window_.begins_after(header.min_tsc) || !catalog_.wants(site_ids(block, header))) {
    return;
  }
  const std::uint32_t slot = waiting_.add(block, header);
  waiting_heap_.push(
      {{scan_.clocks.unix_ns(header.min_tsc), header.stream_id, header.first_sequence},
       ItemKind::kWaiting,
       slot,
       nullptr,
       nullptr});
}

void SectionReader::add_gap(const SequenceGap& gap) {
  if (gap.count == 0) return;
  const SectionCatalog::Stream& stream = catalog_.stream(gap.stream_id);
  add_loss({gap, LossCause::kMissing, std::max(stream.last_tsc, stream.info.start_tsc)});
}

void SectionReader::add_loss(const Loss& loss) {
  const std::uint64_t unix_ns = scan_.clocks.unix_ns(loss.gap.tsc);
  if (!window_.contains(unix_ns)) return;
  if (!loss.by_site) {
    (loss.cause == LossCause::kMissing ? report_.missing_records : report_.dropped_records) +=
        loss.gap.count;
  }
  if (!context_.options->losses) return;
  std::uint32_t slot = 0;
  if (free_losses_.empty()) {
    slot = static_cast<std::uint32_t>(losses_.size());
    losses_.push_back(loss);
  } else {
    slot = free_losses_.back();
    free_losses_.pop_back();
    losses_[slot] = loss;
  }
  loss_heap_.push(
      {{unix_ns, loss.gap.stream_id, loss.gap.first}, ItemKind::kLoss, slot, nullptr, nullptr});
}

// Reads up to the next sequence point, or to the last available block.
void SectionReader::read_on() {
  Block block;
  while (!stopped_ && blocks_.next(block)) {
    if (block.frame.type != BlockType::kSequencePoint) {
      take_block(block);
      continue;
    }
    std::uint64_t watermark = 0;
    if (!parse_watermark(block.payload, watermark)) continue;
    check_positions(block, watermark);
    take_late(watermark);
    limit_ns_ = std::max(limit_ns_, scan_.clocks.unix_ns(watermark));
    return;
  }
  if (following_ && !stopped_) {
    out_of_blocks_ = true;
  } else {
    end_walk();
  }
}

void SectionReader::end_walk() {
  const bool to_its_end = walk_end_ == scan_.end;
  if (!to_its_end) {
    take_late(kForever);
  } else if (!has_end_block_) {
    ++report_.sections_without_end;
  }
  for (const SequenceGap& gap : context_.ledger->close(context_.place, to_its_end)) {
    if (catalog_.stream(gap.stream_id).wanted) add_gap(gap);
  }
  limit_ns_ = kForever;
  walk_ended_ = true;
}

// A sequence point also shows extents that were lost and that no later one follows.
void SectionReader::check_positions(const Block& block, std::uint64_t watermark) {
  const std::byte* p = block.payload.data() + kSequencePointFixedBytes;
  const std::size_t room =
      (block.payload.size() - kSequencePointFixedBytes) / kSequencePointEntryBytes;
  const std::size_t count =
      std::min<std::size_t>(load<std::uint32_t>(block.payload.data() + 8), room);
  for (std::size_t i = 0; i < count; ++i, p += kSequencePointEntryBytes) {
    const auto stream_id = load<std::uint64_t>(p);
    if (!catalog_.stream(stream_id).wanted) continue;
    add_gap(
        context_.ledger->expect(context_.place, stream_id, load<std::uint64_t>(p + 8), watermark));
  }
}

// Takes the later extents that belong before the watermark.
void SectionReader::take_late(std::uint64_t watermark) {
  for (; next_late_ < scan_.late.size(); ++next_late_) {
    const LateExtent late = scan_.late[next_late_];
    if (late.min_tsc >= watermark || window_.begins_after(late.min_tsc)) return;
    if (late.offset < blocks_.position() || taken_early_.contains(late.offset)) continue;
    Block block;
    ExtentHeader header;
    // A damaged one is left to the walk, which reports it.
    const bool sound = far_blocks_.read_at(late.offset, block) &&
                       block.frame.type == BlockType::kExtent &&
                       ExtentHeader::parse(block.payload, header);
    if (scan_.indexed && (!sound || header.min_tsc != late.min_tsc)) {
      doubt_index(late.offset, "no late extent at a listed offset");
      return take_late(watermark);
    }
    if (!sound) continue;
    taken_early_.insert(late.offset);
    wait_for(block, header);
  }
}

}  // namespace ringside::trace
