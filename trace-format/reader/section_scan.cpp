#include "trace-format/reader/section_scan.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "trace-format/blocks/block_reader.hpp"
#include "trace-format/blocks/block_writer.hpp"
#include "trace-format/blocks/format_constants.hpp"
#include "trace-format/blocks/little_endian.hpp"
#include "trace-format/codec/extent_decoder.hpp"
#include "trace-format/reader/section_index.hpp"

namespace ringside::trace {
namespace {

constexpr std::uint64_t kNever = SectionScan::kNoTsc;

// In a section with more sequence points only every second point is kept, or every fourth, and so
// on.
constexpr std::size_t kMostPoints = std::size_t{1} << 16;

void sort_late(std::vector<LateExtent>& late) {
  std::sort(late.begin(), late.end(), [](const LateExtent& a, const LateExtent& b) {
    return a.min_tsc != b.min_tsc ? a.min_tsc < b.min_tsc : a.offset < b.offset;
  });
}

class Scan {
 public:
  Scan(TraceFile& file, std::uint64_t begin, std::uint64_t end, ReadReport& report)
      : file_(file),
        report_(report),
        end_(end),
        headers_(file, begin, end, nullptr),
        whole_(file, begin, end, nullptr),
        tiled_to_(begin) {}

  std::vector<SectionScan> run() {
    Block block;
    while (headers_.next_header(block, kExtentHeaderBytes)) take(block);
    close(end_);
    // Sections tile the file, so that their readers find all damage.
    if (!sections_.empty() && !unreadable_) {
      if (sections_.back().end != end_) sections_.back().ended = false;
      sections_.back().end = end_;
    }
    if (unreadable_) skip_unreadable(end_);
    return std::move(sections_);
  }

 private:
  void take(const Block& block) {
    if (block.frame.type == BlockType::kHeader) {
      Block header;
      SectionHeader parsed;
      if (!whole_.read_at(block.offset, header)) return;
      close(block.offset);
      if (unreadable_) skip_unreadable(block.offset);
      if (SectionHeader::parse(header.payload, parsed)) open(block.offset, &parsed);
      return;
    }
    if (!open_ && !unreadable_) open(block.offset, nullptr);
    if (!open_) return;
    switch (block.frame.type) {
      case BlockType::kExtent:
        take_extent(block);
        break;
      case BlockType::kClock: {
        Block clock;
        ClockPoint point;
        if (whole_.read_at(block.offset, clock) && ClockPoint::parse(clock.payload, point)) {
          open_->clocks.add(point);
        }
        open_->metadata.push_back(block.offset);
        break;
      }
      case BlockType::kDictionary:
      case BlockType::kStream:
        open_->metadata.push_back(block.offset);
        break;
      case BlockType::kSequencePoint:
        take_point(block);
        break;
      case BlockType::kLosses:
        take_losses(block);
        break;
      case BlockType::kEnd: {
        // Checked, because after a false end a section without a dictionary would begin.
        Block end;
        if (!whole_.read_at(block.offset, end)) break;
        open_->ended = true;
        close(block.offset + end.frame.block_bytes());
        break;
      }
      default:
        break;
    }
  }

  // The bytes of a section for a newer reader count as not read.
  void skip_unreadable(std::uint64_t end) {
    ++report_.damaged_blocks;
    report_.damaged_bytes += end - tiled_to_;
    tiled_to_ = end;
  }

  void take_extent(const Block& block) {
    ExtentHeader header;
    if (!ExtentHeader::parse(block.payload, header)) return;
    // Without records it reports a loss, at the time `base`.
    const bool has_records = header.records != 0;
    open_->min_tsc = std::min(open_->min_tsc, has_records ? header.min_tsc : header.base_tsc);
    open_->max_tsc = std::max(open_->max_tsc, has_records ? header.max_tsc : header.base_tsc);
    if ((header.flags & kExtentLate) != 0) open_->late.push_back({header.min_tsc, block.offset});
  }

  void take_losses(const Block& block) {
    constexpr std::size_t kUntilAt = 8;
    if (block.payload.size() < kUntilAt + sizeof(std::uint64_t)) return;
    first_loss_tsc_ =
        std::min(first_loss_tsc_, load<std::uint64_t>(block.payload.data() + kUntilAt));
  }

  void take_point(const Block& block) {
    TimePoint point{block.offset, 0, open_->max_tsc};
    if (!parse_watermark(block.payload, point.watermark) || points_met_++ % point_step_ != 0)
      return;
    std::vector<TimePoint>& points = open_->points;
    points.push_back(point);
    if (points.size() < kMostPoints) return;
    for (std::size_t i = 0; i < points.size() / 2; ++i) points[i] = points[2 * i];
    points.resize(points.size() / 2);
    point_step_ *= 2;
  }

  void open(std::uint64_t offset, const SectionHeader* header) {
    unreadable_ = false;
    first_loss_tsc_ = kNever;
    points_met_ = 0;
    point_step_ = 1;
    auto segment = std::make_shared<SegmentInfo>();
    segment->file = file_.path();
    if (header != nullptr) {
      if (!can_read(*header)) {
        report_.note({file_.path(), offset,
                      "the section has format " + std::to_string(header->format_major) + "." +
                          std::to_string(header->format_minor) +
                          " and requires a reader of format " +
                          std::to_string(header->reader_major) + "." +
                          std::to_string(header->reader_minor) + ", this reader supports " +
                          std::to_string(kFormatMajor) + "." + std::to_string(kFormatMinor),
                      "use a newer ringcat"});
        unreadable_ = true;
        return;
      }
      segment = segment_of(*header, file_.path());
    }
    open_.emplace();
    open_->begin = tiled_to_;
    open_->segment = std::move(segment);
  }

  void close(std::uint64_t end) {
    if (!open_) return;
    SectionScan& section = *open_;
    section.end = tiled_to_ = end;
    sort_late(section.late);
    if (section.clocks.empty()) add_substitute_clock(section);
    const std::uint64_t first_tsc = std::min(section.min_tsc, first_loss_tsc_);
    section.first_unix_ns = first_tsc == kNever ? 0 : section.clocks.unix_ns(first_tsc);
    sections_.push_back(std::move(section));
    open_.reset();
  }

  void add_substitute_clock(SectionScan& section) {
    const SegmentInfo& segment = *section.segment;
    if (segment.tick_hz != 0) {
      section.clocks.add(ClockSteering({segment.start_tsc, segment.start_monotonic_ns,
                                        segment.start_realtime_ns, segment.tick_hz})
                             .first());
    } else {
      section.clocks.add({0, 0, std::uint64_t{1} << kClockFractionBits, 0, 0});
    }
    if (section.min_tsc == kNever) return;
    report_.note({file_.path(), section.begin, "the section has no intact CLOCK block",
                  "its times are derived from the start of the service and can be wrong"});
  }

  TraceFile& file_;
  ReadReport& report_;
  std::uint64_t end_;
  BlockReader headers_;
  BlockReader whole_;
  std::vector<SectionScan> sections_;
  std::optional<SectionScan> open_;
  bool unreadable_ = false;
  std::uint64_t first_loss_tsc_ = kNever;  // of the losses in LOSSES blocks
  std::uint64_t tiled_to_;                 // bytes before this position belong to a section
  std::uint64_t points_met_ = 0;
  std::uint64_t point_step_ = 1;
};

}  // namespace

bool can_read(const SectionHeader& header) {
  return header.reader_major < kFormatMajor ||
         (header.reader_major == kFormatMajor && header.reader_minor <= kFormatMinor);
}

std::shared_ptr<SegmentInfo> segment_of(const SectionHeader& header, const std::string& file) {
  auto segment = std::make_shared<SegmentInfo>();
  segment->file = file;
  segment->uuid = header.uuid;
  segment->boot_id = header.boot_id;
  segment->pid = header.pid;
  segment->uid = header.uid;
  segment->tick_hz = header.tick_hz;
  segment->start_tsc = header.start_tsc;
  segment->start_monotonic_ns = header.start_monotonic_ns;
  segment->start_realtime_ns = header.start_realtime_ns;
  segment->clock_source = static_cast<std::uint32_t>(header.clock_source);
  segment->file_sequence = header.file_sequence;
  segment->writer_version = header.writer_version;
  segment->service = header.service;
  segment->executable = header.executable;
  segment->host = header.host;
  return segment;
}

namespace {

void note_clocks(const std::vector<SectionScan>& sections, ReadReport& report) {
  for (const SectionScan& section : sections) {
    for (const ClockPoint& point : section.clocks.points())
      report.host_clocks.add(section.segment->boot_id, section.segment->host, point);
  }
}

std::vector<SectionScan> find_sections(TraceFile& file, ReadReport& report) {
  std::vector<SectionScan> indexed;
  std::uint64_t end = file.size();
  while (end > 0) {
    std::optional<SectionScan> section = read_indexed_section(file, end);
    if (!section) break;
    end = section->begin;
    indexed.push_back(std::move(*section));
  }
  std::vector<SectionScan> sections;
  if (end > 0) {
    sections = Scan(file, 0, end, report).run();
    // Bytes before the indexed sections that belong to no section are damage, and a reader must
    // find it. If no section precedes, that is the reader of the first indexed one.
    if (sections.empty() && !indexed.empty()) {
      sections = Scan(file, 0, file.size(), report).run();
      return sections;
    }
  }
  sections.insert(sections.end(), std::make_move_iterator(indexed.rbegin()),
                  std::make_move_iterator(indexed.rend()));
  return sections;
}

}  // namespace

std::vector<SectionScan> scan_sections(TraceFile& file, ReadReport& report) {
  std::vector<SectionScan> sections = find_sections(file, report);
  note_clocks(sections, report);
  return sections;
}

std::vector<SectionScan> scan_sections_from(TraceFile& file, std::uint64_t begin,
                                            ReadReport& report) {
  std::vector<SectionScan> sections = Scan(file, begin, file.size(), report).run();
  note_clocks(sections, report);
  return sections;
}

bool may_begin_a_trace(TraceFile& file) {
  constexpr std::uint32_t kMagic = kBlockMagic;
  constexpr std::uint32_t kNothing = 0;
  std::array<std::byte, sizeof kMagic> front{};
  const std::size_t bytes = file.read(0, front);
  return std::memcmp(front.data(), &kMagic, bytes) == 0 ||
         std::memcmp(front.data(), &kNothing, bytes) == 0;
}

void rescan_section(TraceFile& file, SectionScan& section, ReadReport& report) {
  std::vector<SectionScan> found = Scan(file, section.begin, section.end, report).run();
  section.indexed = false;
  section.late.clear();
  section.metadata.clear();
  section.points.clear();
  for (const SectionScan& part : found) {
    for (const ClockPoint& point : part.clocks.points()) section.clocks.add(point);
    section.late.insert(section.late.end(), part.late.begin(), part.late.end());
    section.metadata.insert(section.metadata.end(), part.metadata.begin(), part.metadata.end());
    // The scan found several sections where the index has one: its points would leave some out.
    if (found.size() == 1) section.points = part.points;
    section.min_tsc = std::min(section.min_tsc, part.min_tsc);
    section.max_tsc = std::max(section.max_tsc, part.max_tsc);
  }
  sort_late(section.late);
}

}  // namespace ringside::trace
