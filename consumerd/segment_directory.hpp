#pragma once
// Which segments there are: a scan at the start, inotify for those that appear later.

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

  // Names of segments that may be new since the last call, in the order of their names.
  std::vector<std::string> appeared();

 private:
  bool scan(std::string* why);

  std::string path_;
  UniqueFd inotify_;
  std::set<std::string> pending_;
};

}  // namespace ringside::consumer
