#include "tools/files/trace_verification.hpp"

#include <optional>
#include <utility>

#include "trace-format/blocks/block_reader.hpp"

namespace ringside::tool {

VerifiedCounts& VerifiedCounts::operator+=(const VerifiedCounts& other) {
  files += other.files;
  sections += other.sections;
  sections_without_end += other.sections_without_end;
  blocks += other.blocks;
  records += other.records;
  dropped += other.dropped;
  not_selected += other.not_selected;
  missing += other.missing;
  gaps += other.gaps;
  damaged_bytes += other.damaged_bytes;
  damaged_frames += other.damaged_frames;
  unfinished_bytes += other.unfinished_bytes;
  findings += other.findings;
  return *this;
}

VerifiedCounts TraceVerification::check(trace::TraceFile& file) {
  VerifiedCounts counts;
  counts.files = 1;
  trace::ReadReport report;
  file.report_to(&report);
  const auto complain = [&](std::uint64_t offset, std::string what) {
    ++counts.findings;
    tell_({file.path(), offset, std::move(what)});
  };
  // Damage is reported at once. Other notes of the report are not damage.
  std::uint64_t told_bytes = 0;
  std::uint64_t told_frames = 0;
  const auto tell_damage = [&] {
    const bool worse = report.damaged_bytes != told_bytes || report.damaged_frames != told_frames;
    if (worse) {
      for (const trace::ReadError& note : report.notes) complain(note.offset, note.what);
    }
    told_bytes = report.damaged_bytes;
    told_frames = report.damaged_frames;
    report.notes.clear();
  };
  std::optional<SectionCheck> section;
  const auto close = [&] {
    if (!section) return;
    counts.records += section->counts().records;
    counts.dropped += section->counts().dropped;
    counts.not_selected += section->counts().not_selected;
    counts.missing += section->counts().missing;
    counts.gaps += section->counts().gaps;
    if (!section->ended()) ++counts.sections_without_end;
  };
  trace::BlockReader blocks(file, 0, file.size(), &report);
  trace::Block block;
  while (blocks.next(block)) {
    tell_damage();
    ++counts.blocks;
    const bool is_header = block.frame.type == trace::BlockType::kHeader;
    if (!section || section->ended() || is_header) {
      if (section && block.frame.type == trace::BlockType::kShipped) continue;  // may follow END
      close();
      if (!is_header) complain(block.offset, "a block without a preceding HEADER");
      ++counts.sections;
      section.emplace(block.offset, numbers_, complain);
    }
    section->take(block);
  }
  if (counts.blocks != 0 || report.damaged_frames != 0) tell_damage();
  close();
  file.report_to(nullptr);
  counts.damaged_bytes = report.damaged_bytes;
  counts.damaged_frames = report.damaged_frames;
  counts.unfinished_bytes = report.unfinished_bytes;
  return counts;
}

}  // namespace ringside::tool
