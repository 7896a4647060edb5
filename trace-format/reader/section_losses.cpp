#include "trace-format/reader/section_losses.hpp"

#include <algorithm>

#include "trace-format/blocks/block_writer.hpp"
#include "trace-format/blocks/little_endian.hpp"
#include "trace-format/blocks/losses_block.hpp"

namespace ringside::trace {

LossCause stored_loss_cause(std::uint32_t stored) {
  return stored <= static_cast<std::uint32_t>(LossCause::kOverwritten) ||
                 stored == static_cast<std::uint32_t>(LossCause::kAbandoned) ||
                 stored == static_cast<std::uint32_t>(LossCause::kUnshipped) ||
                 stored == static_cast<std::uint32_t>(LossCause::kNotSelected)
             ? static_cast<LossCause>(stored)
             : LossCause::kUnknown;
}

void SectionLosses::take_numbers(const ExtentHeader& header) {
  if (!section_.catalog().stream(header.stream_id).wanted) return;
  add_gap(ledger_.expect(place_, header.stream_id,
                         header.first_sequence - std::min(header.dropped, header.first_sequence),
                         header.base_tsc));
  ledger_.seen(place_, header.stream_id, header.first_sequence + header.records);
}

void SectionLosses::take_dropped(const ExtentHeader& header) {
  if (header.dropped == 0) return;
  if (!header.has_lost()) {
    section_.report().not_selected_records += header.dropped;
    return;
  }
  const SectionCatalog::Stream& stream = section_.catalog().stream(header.stream_id);
  add({{header.base_tsc, header.stream_id, header.first_sequence - header.dropped, header.dropped},
       stored_loss_cause(header.drop_cause),
       std::max(stream.last_tsc, stream.info.start_tsc)});
}

void SectionLosses::take_losses(const Block& block) {
  LossesBlock losses;
  if (!LossesBlock::parse(block.payload, losses)) {
    section_.note(block.offset, "a LOSSES block is shorter than its count",
                  "the losses that it lists are unknown");
    ++section_.report().damaged_blocks;
    return;
  }
  const auto take = [&](const LossCount& count, bool by_site) {
    const std::uint64_t lost = ledger_.counted().add(count, by_site);
    if (lost == 0) return;
    add({{losses.until_tsc, 0, 0, lost},
         shm::is_told_by_site(count.cause) ? count.cause : LossCause::kUnknown,
         losses.since_tsc,
         by_site,
         count.site_id});
  };
  const bool wanted = section_.catalog().stream(0).wanted;
  for (const LossCount& count : losses.without_stream) {
    if (wanted && shm::is_lost(count.cause)) take(count, false);
  }
  if (!section_.options().site_losses) return;
  for (const LossCount& count : losses.by_site) {
    const Site* const site = section_.catalog().sites().find(count.site_id);
    const auto& chosen = section_.options().site;
    if (!chosen || (site != nullptr && chosen(*site, *section_.scan().segment))) take(count, true);
  }
}

void SectionLosses::take_positions(const Block& block, std::uint64_t watermark) {
  const std::byte* p = block.payload.data() + kSequencePointFixedBytes;
  const std::size_t room =
      (block.payload.size() - kSequencePointFixedBytes) / kSequencePointEntryBytes;
  const std::size_t count =
      std::min<std::size_t>(load<std::uint32_t>(block.payload.data() + 8), room);
  for (std::size_t i = 0; i < count; ++i, p += kSequencePointEntryBytes) {
    const auto stream_id = load<std::uint64_t>(p);
    if (!section_.catalog().stream(stream_id).wanted) continue;
    add_gap(ledger_.expect(place_, stream_id, load<std::uint64_t>(p + 8), watermark));
  }
}

void SectionLosses::close(bool to_its_end) {
  for (const SequenceGap& gap : ledger_.close(place_, to_its_end)) {
    if (section_.catalog().stream(gap.stream_id).wanted) add_gap(gap);
  }
}

void SectionLosses::add_gap(const SequenceGap& gap) {
  if (gap.count == 0) return;
  const SectionCatalog::Stream& stream = section_.catalog().stream(gap.stream_id);
  add({gap, LossCause::kMissing, std::max(stream.last_tsc, stream.info.start_tsc)});
}

void SectionLosses::add(const Loss& loss) {
  const std::uint64_t unix_ns = section_.clocks().unix_ns(loss.gap.tsc);
  if (!section_.window().contains(unix_ns)) return;
  if (!loss.by_site) {
    ReadReport& report = section_.report();
    (loss.cause == LossCause::kMissing ? report.missing_records : report.dropped_records) +=
        loss.gap.count;
  }
  if (!section_.options().losses) return;
  std::uint32_t slot = 0;
  if (free_.empty()) {
    slot = static_cast<std::uint32_t>(losses_.size());
    losses_.push_back(loss);
  } else {
    slot = free_.back();
    free_.pop_back();
    losses_[slot] = loss;
  }
  queue_.push({{unix_ns, loss.gap.stream_id, loss.gap.first}, slot});
}

void SectionLosses::get(std::uint32_t slot, Event& event) {
  const Loss& loss = losses_[slot];
  event.stream = &section_.catalog().stream(loss.gap.stream_id).info;
  event.kind = loss.by_site ? EventKind::kSiteLoss : EventKind::kLoss;
  event.record = {};
  event.record.tsc = loss.gap.tsc;
  event.record.stream_id = loss.gap.stream_id;
  event.record.sequence = loss.gap.first;
  event.lost = loss.gap.count;
  event.cause = loss.cause;
  event.since_ns = std::min(event.unix_ns, section_.clocks().unix_ns(loss.since_tsc));
  if (loss.by_site) event.record.site = section_.catalog().sites().find(loss.site_id);
}

}  // namespace ringside::trace
