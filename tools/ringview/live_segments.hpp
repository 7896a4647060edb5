#pragma once
// Records that are in the segments of services only, because no consumer takes them.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/files/owned_fd.hpp"
#include "tools/live/service_choice.hpp"
#include "tools/ringview/live_board.hpp"

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

struct LiveSegments {
  std::vector<LiveSegment> segments;  // sorted by name
  std::vector<UnreadableFile> unreadable;
  bool operator==(const LiveSegments&) const = default;
};

// Those of these services. False with `*why` if the directory cannot be listed. `also_of_others`:
// those that this user may not read are unreadable; otherwise they are left out.
bool find_segments(const ServiceChoice& choice, bool also_of_others, LiveSegments& found,
                   std::string* why);

// The records of a segment as a trace file that only this process has.
class SegmentCopy {
 public:
  // Empty with `*why`, also if its rings hold more than this; without it if the segment is gone, or
  // a consumer has come to it.
  static std::optional<SegmentCopy> make(const std::string& segment, std::uint64_t most_held_bytes,
                                         std::string* why);

  const std::string& segment() const { return segment_; }
  const std::string& path() const { return path_; }  // of the file, as long as this lives
  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t held_bytes() const { return held_bytes_; }            // in the rings
  const std::vector<std::string>& damage() const { return damage_; }  // one line each

 private:
  SegmentCopy() = default;

  OwnedFd fd_;
  std::string segment_;
  std::string path_;
  std::uint64_t bytes_ = 0;
  std::uint64_t held_bytes_ = 0;
  std::vector<std::string> damage_;
};

// Of all, as far as there is room. `unreadable`: adds those without a copy.
std::vector<SegmentCopy> copies_of(const std::vector<LiveSegment>& segments,
                                   std::vector<UnreadableFile>& unreadable);

}  // namespace ringside::tool
