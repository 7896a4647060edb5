#pragma once
// Packs and removes closed trace files, in a thread of its own that runs when nothing else does.

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "consumerd/closed_files.hpp"
#include "consumerd/log.hpp"
#include "consumerd/options.hpp"

namespace ringside::consumer {

class FileKeeper {
 public:
  // Begins to work at once. `log` must outlive it.
  FileKeeper(const Options& options, const Log& log);
  // Stops in the middle of whatever it does; a later one does that again.
  ~FileKeeper();
  FileKeeper(const FileKeeper&) = delete;
  FileKeeper& operator=(const FileKeeper&) = delete;

  // For the poll loop, which never waits for this thread: what it could not be told now is told at
  // one of the next calls. `stem`: of a segment that this consumerd has taken.
  void adopt(const std::string& stem);
  void look();  // files were closed
  void tell();

  // Waits until nothing is left to do. Nothing else may be called after it.
  void finish();

 private:
  void run();
  bool work();
  void remove_surplus(std::vector<ClosedFile>* files);
  bool remove(const ClosedFile& file);
  bool pack_one(const std::vector<ClosedFile>& files);
  void say_once(const std::string& what);

  const Options options_;  // of its own: the poll loop changes its while this thread runs
  const Log& log_;
  // Of the poll loop.
  std::vector<std::string> untold_stems_;
  bool untold_look_ = false;
  // Shared.
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<std::string> new_stems_;
  bool look_ = true;
  bool finish_ = false;
  std::atomic<bool> stop_{false};
  // Of the thread.
  std::set<std::string> own_stems_;
  std::set<std::string> said_;
  std::thread thread_;
};

}  // namespace ringside::consumer
