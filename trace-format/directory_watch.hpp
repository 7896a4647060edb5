// Wakes a reader when files in directories may have changed.
#pragma once

#include <string>

namespace ringside::trace {

// By inotify; where that cannot be had, by time alone.
class DirectoryWatch {
 public:
  DirectoryWatch();
  ~DirectoryWatch();
  DirectoryWatch(const DirectoryWatch&) = delete;
  DirectoryWatch& operator=(const DirectoryWatch&) = delete;

  void add(const std::string& path);  // of a directory or a file

  // Until something changes, a signal comes (false) or the time is over; some changes show only by
  // the time (files that other machines write), so that it is never longer than a second.
  bool wait(int timeout_ms);

 private:
  int fd_;
};

}  // namespace ringside::trace
