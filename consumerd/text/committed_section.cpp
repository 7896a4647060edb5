#include "consumerd/text/committed_section.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "trace-format/blocks/losses_block.hpp"
#include "trace-format/reader/section_scan.hpp"

namespace ringside::consumer {
namespace {

constexpr std::uint64_t kMostAtOnce = 8U << 20;

}  // namespace

CommittedSection::CommittedSection(std::unique_ptr<trace::TraceFile> file, std::uint64_t begin)
    : trace::TraceFile(file->path(), begin),
      file_(std::move(file)),
      blocks_(*file_, begin, file_->size(), nullptr),
      begin_(begin),
      checked_(begin) {}

std::shared_ptr<CommittedSection> CommittedSection::open(trace::OpenFiles& files,
                                                         const std::string& path,
                                                         std::uint64_t begin, const Uuid& uuid) {
  trace::SectionHeader header;
  std::shared_ptr<CommittedSection> section = open_any(files, path, begin, &header);
  if (section == nullptr || header.uuid != uuid) return nullptr;
  section->boot_id_ = header.boot_id;
  return section;
}

bool CommittedSection::is_of_another(trace::OpenFiles& files, const std::string& path,
                                     const Uuid& uuid) {
  trace::SectionHeader header;
  return open_any(files, path, 0, &header) != nullptr && header.uuid != uuid;
}

std::shared_ptr<CommittedSection> CommittedSection::open_any(trace::OpenFiles& files,
                                                             const std::string& path,
                                                             std::uint64_t begin,
                                                             trace::SectionHeader* header) {
  trace::ReadError error;
  std::unique_ptr<trace::TraceFile> file = files.open(path, &error);
  if (!file) return nullptr;
  std::shared_ptr<CommittedSection> section(new CommittedSection(std::move(file), begin));
  trace::Block block;
  if (!section->blocks_.read_at(begin, block) || block.frame.type != trace::BlockType::kHeader ||
      !trace::SectionHeader::parse(block.payload, *header)) {
    return nullptr;
  }
  return section;
}

bool CommittedSection::advance() {
  if (over_) return false;
  const std::uint64_t before = size();
  file_->look_again();
  blocks_.set_end(file_->size());
  trace::Block block;
  while (!over_ && size() < before + kMostAtOnce && blocks_.read_at(checked_, block)) take(block);
  return size() != before || over_;
}

void CommittedSection::take(const trace::Block& block) {
  const std::uint64_t end = block.offset + block.frame.block_bytes();
  switch (block.frame.type) {
    case trace::BlockType::kHeader:
      if (block.offset != begin_) return end_at(block.offset, block.offset);
      break;
    case trace::BlockType::kEnd: {
      trace::EndBlock parsed;
      if (trace::EndBlock::parse(block.payload, parsed)) end_reason_ = parsed.reason;
      return end_at(end, end);
    }
    case trace::BlockType::kLosses: {
      trace::LossesBlock losses;
      if (!trace::LossesBlock::parse(block.payload, losses)) break;
      for (const trace::LossCount& count : losses.without_stream) {
        std::uint64_t& highest = stray_losses_[count.cause];
        highest = std::max(highest, count.after);
      }
      break;
    }
    case trace::BlockType::kSequencePoint:
      set_size(end);
      break;
    default:
      break;
  }
  checked_ = end;
}

void CommittedSection::end_at(std::uint64_t end, std::uint64_t next) {
  set_size(end);
  next_ = next;
  over_ = true;
}

void CommittedSection::finish() {
  if (over_) return;
  file_->look_again();
  // Finds the next section after damage too.
  trace::ReadReport report;
  const std::vector<trace::SectionScan> sections =
      trace::scan_sections_from(*file_, begin_, report);
  const bool another = sections.size() > 1;
  const std::uint64_t end = another ? sections[0].end : file_->size();
  end_at(end, end);
}

std::size_t CommittedSection::read(std::uint64_t offset, std::span<std::byte> bytes) {
  if (offset >= size()) return 0;
  return file_->read(offset, bytes.first(std::min<std::uint64_t>(bytes.size(), size() - offset)));
}

}  // namespace ringside::consumer
