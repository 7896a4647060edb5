#include "trace-format/section_scan.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>

#include "trace-format/block_reader.hpp"
#include "trace-format/block_writer.hpp"
#include "trace-format/extent_decoder.hpp"

namespace ringside::trace {
namespace {

constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

class Scan {
 public:
  Scan(TraceFile& file, ReadReport& report)
      : file_(file),
        report_(report),
        headers_(file, 0, file.size(), nullptr),
        whole_(file, 0, file.size(), nullptr) {}

  std::vector<SectionScan> run() {
    Block block;
    while (headers_.next_header(block, kExtentHeaderBytes)) take(block);
    close(file_.size());
    // Sections tile the file, so that whoever reads them meets all damage.
    if (!sections_.empty() && !unreadable_) sections_.back().end = file_.size();
    return std::move(sections_);
  }

 private:
  void take(const Block& block) {
    if (block.frame.type == BlockType::kHeader) {
      Block header;
      SectionHeader parsed;
      if (!whole_.read_at(block.offset, header)) return;
      close(block.offset);
      if (unreadable_) tiled_to_ = block.offset;
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
        break;
      }
      case BlockType::kDictionary:
      case BlockType::kStream:
        open_->metadata.push_back(block.offset);
        break;
      case BlockType::kEnd: {
        // Checked, because behind a false end a section without a dictionary would begin.
        Block end;
        if (whole_.read_at(block.offset, end)) close(block.offset + end.frame.block_bytes());
        break;
      }
      default:
        break;
    }
  }

  void take_extent(const Block& block) {
    ExtentHeader header;
    if (!ExtentHeader::parse(block.payload, header)) return;
    min_tsc_ = std::min(min_tsc_, header.min_tsc);
    if ((header.flags & kExtentLate) != 0) open_->late.push_back({header.min_tsc, block.offset});
  }

  void open(std::uint64_t offset, const SectionHeader* header) {
    unreadable_ = false;
    auto segment = std::make_shared<SegmentInfo>();
    segment->file = file_.path();
    if (header != nullptr) {
      if (header->reader_major > kFormatMajor ||
          (header->reader_major == kFormatMajor && header->reader_minor > kFormatMinor)) {
        report_.note({file_.path(), offset,
                      "a section of format " + std::to_string(header->format_major) + "." +
                          std::to_string(header->format_minor) + " wants a reader of format " +
                          std::to_string(header->reader_major) + "." +
                          std::to_string(header->reader_minor) + ", this one has " +
                          std::to_string(kFormatMajor) + "." + std::to_string(kFormatMinor),
                      "use a newer ringcat"});
        unreadable_ = true;
        return;
      }
      segment->uuid = header->uuid;
      segment->boot_id = header->boot_id;
      segment->pid = header->pid;
      segment->uid = header->uid;
      segment->tick_hz = header->tick_hz;
      segment->start_tsc = header->start_tsc;
      segment->start_monotonic_ns = header->start_monotonic_ns;
      segment->start_realtime_ns = header->start_realtime_ns;
      segment->clock_source = static_cast<std::uint32_t>(header->clock_source);
      segment->file_sequence = header->file_sequence;
      segment->writer_version = header->writer_version;
      segment->service = header->service;
      segment->executable = header->executable;
      segment->host = header->host;
    }
    open_.emplace();
    open_->begin = tiled_to_;
    open_->segment = std::move(segment);
    min_tsc_ = kNever;
  }

  void close(std::uint64_t end) {
    if (!open_) return;
    SectionScan& section = *open_;
    section.end = tiled_to_ = end;
    std::sort(section.late.begin(), section.late.end(),
              [](const LateExtent& a, const LateExtent& b) {
                return a.min_tsc != b.min_tsc ? a.min_tsc < b.min_tsc : a.offset < b.offset;
              });
    if (section.clocks.empty()) add_substitute_clock(section);
    section.first_unix_ns = min_tsc_ == kNever ? 0 : section.clocks.unix_ns(min_tsc_);
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
    if (min_tsc_ == kNever) return;
    report_.note({file_.path(), section.begin, "a section without a sound CLOCK block",
                  "its times follow the service's start and may be wrong"});
  }

  TraceFile& file_;
  ReadReport& report_;
  BlockReader headers_;
  BlockReader whole_;
  std::vector<SectionScan> sections_;
  std::optional<SectionScan> open_;
  bool unreadable_ = false;
  std::uint64_t tiled_to_ = 0;  // up to where bytes belong to a section
  std::uint64_t min_tsc_ = kNever;
};

}  // namespace

std::vector<SectionScan> scan_sections(TraceFile& file, ReadReport& report) {
  return Scan(file, report).run();
}

}  // namespace ringside::trace
