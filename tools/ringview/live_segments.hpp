#pragma once
// Records that are in the segments of services only, because no consumer takes them.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/files/owned_fd.hpp"
#include "tools/live/service_choice.hpp"

namespace ringside::tool {

// A segment whose records no consumer takes: none is there, or they stay in the ring until a
// snapshot.
struct LiveSegment {
  std::string path;
  // Totals over the rings. They tell whether there is anything new.
  std::uint64_t published_bytes = 0;
  std::uint64_t taken_bytes = 0;
  std::uint64_t lost = 0;
  bool operator==(const LiveSegment&) const = default;
};

// Those of these services that this user may read, sorted by name. False with `*why` if the
// directory cannot be listed.
bool look_at_segments(const ServiceChoice& choice, std::vector<LiveSegment>& found,
                      std::string* why);

// The records of a segment as a trace file that only this process has.
class SegmentCopy {
 public:
  // Empty with `*why`; without it if the segment is gone.
  static std::optional<SegmentCopy> make(const std::string& segment, std::string* why);

  const std::string& path() const { return path_; }  // valid as long as this
  std::uint64_t bytes() const { return bytes_; }

 private:
  SegmentCopy(OwnedFd fd, std::uint64_t bytes);

  OwnedFd fd_;
  std::string path_;
  std::uint64_t bytes_;
};

}  // namespace ringside::tool
