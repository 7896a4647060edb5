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
  // Directories, and single files. Files that were last written before `written_since_s`, in Unix
  // time, are left out.
  explicit TraceSegments(std::vector<std::string> paths, std::int64_t written_since_s = 0)
      : paths_(std::move(paths)), written_since_s_(written_since_s) {}

  // Looks for new files. False with `*error` if a path cannot be read; the others are. A file
  // without a complete
  // HEADER is checked again at the next call.
  bool look(trace::ReadError* error);

  const std::map<SegmentUuid, TraceSegment>& segments() const { return segments_; }

 private:
  bool add(const std::string& path);

  const std::vector<std::string> paths_;
  const std::int64_t written_since_s_;
  std::set<std::string> known_;
  std::map<SegmentUuid, TraceSegment> segments_;
};

}  // namespace ringside::fleet
