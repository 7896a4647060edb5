#pragma once
// The segments whose trace files are in some directories, and the files of each.

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tools/fleet/extent_message.hpp"
#include "trace-format/blocks/read_report.hpp"

namespace ringside::fleet {

struct SegmentFile {
  std::uint32_t sequence = 0;  // in its first HEADER
  std::string path;            // before it was packed
};

struct TraceSegment {
  SegmentUuid uuid{};
  std::string service;
  std::string host;
  std::vector<SegmentFile> files;  // by rising sequence
};

std::string uuid_text(const SegmentUuid& uuid);  // 32 hexadecimal digits

// Not thread-safe.
class TraceSegments {
 public:
  // Directories, and single files.
  explicit TraceSegments(std::vector<std::string> paths) : paths_(std::move(paths)) {}

  // Looks for new files. False with `*error` if a path cannot be read. A file without a complete
  // HEADER is checked again at the next call.
  bool look(trace::ReadError* error);

  const std::map<SegmentUuid, TraceSegment>& segments() const { return segments_; }

 private:
  bool add(const std::string& path);

  std::vector<std::string> paths_;
  std::set<std::string> known_;
  std::map<SegmentUuid, TraceSegment> segments_;
};

}  // namespace ringside::fleet
