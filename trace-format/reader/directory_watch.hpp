// Wakes a reader when files in directories may have changed.
#pragma once

#include <string>

namespace ringside::trace {

// Uses inotify or, if it is unavailable, only time.
class DirectoryWatch {
 public:
  DirectoryWatch();
  ~DirectoryWatch();
  DirectoryWatch(const DirectoryWatch&) = delete;
  DirectoryWatch& operator=(const DirectoryWatch&) = delete;

  void add(const std::string& path);  // of a directory or a file

  // Waits until something changes, a signal comes (false) or the time is over. Some changes (files
  // written by other machines) cause no event, so it never waits longer than a second.
  bool wait(int timeout_ms);

 private:
  int fd_;
};

}  // namespace ringside::trace
