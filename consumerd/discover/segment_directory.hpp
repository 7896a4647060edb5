#pragma once
// Finds segments: a scan at the start, inotify for those that appear later.

#include <chrono>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "consumerd/descriptors/unique_fd.hpp"

namespace ringside::consumer {

class SegmentDirectory {
 public:
  explicit SegmentDirectory(std::string path) : path_(std::move(path)) {}

  // Starts to watch, then scans, so that no segment is missed in between. False with `why` if the
  // directory cannot be read.
  bool open(std::string* why);

  // Has input when names of segments may be new. Valid from open() on.
  int descriptor() const { return inotify_.get(); }

  // Whether the watched directory is still the one at the given path. If the directory was removed
  // and created again, this call watches and scans the new one.
  bool follow();

  // Names of segments that may be new since the last call, sorted. Takes bounded time, however fast
  // names are created: the next calls return the rest.
  std::vector<std::string> appeared();

  // Names of sessions whose requests appeared during the calls of appeared() since the last call.
  std::vector<std::string> take_session_requests();

 private:
  bool watch();
  void add(const char* name);
  bool scan(std::string* why);

  std::string path_;
  UniqueFd inotify_;
  int watch_ = -1;  // -1: the watched directory is gone
  std::uint64_t device_ = 0;
  std::uint64_t inode_ = 0;
  std::set<std::string> pending_;
  std::set<std::string> sessions_;
  bool overflown_ = false;  // events were lost: the directory must be scanned
  std::chrono::steady_clock::time_point last_scan_;
};

}  // namespace ringside::consumer
