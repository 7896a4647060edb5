#pragma once
// Which segments there are: a scan at the start, inotify for those that appear later.

#include <chrono>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "consumerd/unique_fd.hpp"

namespace ringside::consumer {

class SegmentDirectory {
 public:
  explicit SegmentDirectory(std::string path) : path_(std::move(path)) {}

  // Starts to watch, then scans, so that nothing appears unseen in between. False with `why` if
  // the directory cannot be read.
  bool open(std::string* why);

  // Whether the directory that is watched still has the path that was given. One that was removed
  // and made again is watched and scanned from this call on.
  bool follow();

  // Names of segments that may be new since the last call, in the order of their names. Bounded in
  // time, however fast names are made: the rest comes with the next calls.
  std::vector<std::string> appeared();

 private:
  bool watch();
  bool scan(std::string* why);

  std::string path_;
  UniqueFd inotify_;
  int watch_ = -1;  // -1: what was watched is gone
  std::uint64_t device_ = 0;
  std::uint64_t inode_ = 0;
  std::set<std::string> pending_;
  bool overflown_ = false;  // something appeared and was not told
  std::chrono::steady_clock::time_point last_scan_;
};

}  // namespace ringside::consumer
