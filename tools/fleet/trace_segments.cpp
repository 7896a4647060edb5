#include "tools/fleet/trace_segments.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <sys/stat.h>

#include "trace-format/blocks/block_reader.hpp"
#include "trace-format/blocks/block_writer.hpp"
#include "trace-format/reader/trace_paths.hpp"

namespace ringside::fleet {

std::string uuid_text(const SegmentUuid& uuid) {
  std::string text;
  for (const std::uint8_t byte : uuid) text += fmt::format("{:02x}", byte);
  return text;
}

bool TraceSegments::look(trace::ReadError* error) {
  std::vector<std::string> names;
  bool has_all = true;
  for (const std::string& path : paths_)
    has_all = trace::expand_trace_path(path, names, error) && has_all;
  for (const std::string& name : names) {
    const std::string unpacked(trace::unpacked_name(name));
    if (!known_.contains(unpacked) && add(name)) known_.insert(unpacked);
  }
  return has_all;
}

bool TraceSegments::add(const std::string& path) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) == 0 && status.st_mtime < written_since_s_) return true;
  const auto file = trace::TraceFile::open(path, nullptr);
  if (file == nullptr) return false;
  trace::BlockReader reader(*file, 0, file->size(), nullptr);
  trace::Block block;
  trace::SectionHeader header;
  if (!reader.next(block) || block.frame.type != trace::BlockType::kHeader ||
      !trace::SectionHeader::parse(block.payload, header)) {
    return false;
  }
  TraceSegment& segment = segments_[header.uuid];
  segment.uuid = header.uuid;
  segment.service = header.service;
  segment.host = header.host;
  const SegmentFile found{header.file_sequence, std::string(trace::unpacked_name(path))};
  const auto after = std::upper_bound(
      segment.files.begin(), segment.files.end(), found,
      [](const SegmentFile& a, const SegmentFile& b) { return a.sequence < b.sequence; });
  segment.files.insert(after, found);
  return true;
}

}  // namespace ringside::fleet
