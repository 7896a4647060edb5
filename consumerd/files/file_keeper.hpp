#pragma once
// Packs and removes closed trace files in a thread with low priority.

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "consumerd/configuration/options.hpp"
#include "consumerd/files/closed_files.hpp"
#include "consumerd/files/shipped_files.hpp"
#include "consumerd/log/log.hpp"

namespace ringside::consumer {

class FileKeeper {
 public:
  // Starts to work at once. `log` must outlive it.
  FileKeeper(const Options& options, const Log& log);
  // Stops immediately, even in the middle of a file; a later keeper starts that file again.
  ~FileKeeper();
  FileKeeper(const FileKeeper&) = delete;
  FileKeeper& operator=(const FileKeeper&) = delete;

  // For the poll loop, which never waits for this thread: a message that cannot be delivered now is
  // delivered by one of the next calls. `stem`: of a segment that this consumerd has taken over.
  void adopt(const std::string& stem);
  void look();  // files were closed
  void set_keep(const KeepPolicy& keep);
  void notify();

  // What was removed before it was shipped. For any thread.
  std::uint64_t unshipped_files() const { return unshipped_files_.load(std::memory_order_relaxed); }
  std::uint64_t unshipped_records() const {
    return unshipped_records_.load(std::memory_order_relaxed);
  }

  // Waits until all work is done. Call nothing else after it.
  void finish();

 private:
  void run();
  bool work();
  void remove_surplus(std::vector<ClosedFile>* files);
  bool is_over(std::size_t files, std::uint64_t bytes) const;
  void remove_shipped(std::vector<ClosedFile>* files);
  void remove_unshipped(std::vector<ClosedFile>* files);
  bool remove(const ClosedFile& file);
  enum class Emptying : std::uint8_t {
    kDone,
    kNotNow,  // another process uses the file
    kFailed,  // reported
  };
  Emptying empty(ClosedFile* file);
  void finish_emptied(std::vector<ClosedFile>* files);
  bool pack_one(const std::vector<ClosedFile>& files);
  void log_once(const std::string& what);

  const Options options_;  // a private copy, because the poll loop changes its own while this
                           // thread runs; `keep` is not used
  const Log& log_;
  // Used by the poll loop only.
  std::vector<std::string> pending_stems_;
  bool pending_check_ = false;
  std::optional<KeepPolicy> pending_keep_;
  // Shared by both threads.
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<std::string> new_stems_;
  std::optional<KeepPolicy> new_keep_;
  bool check_ = true;
  bool finish_ = false;
  std::atomic<bool> stop_{false};
  std::atomic<std::uint64_t> unshipped_files_{0};
  std::atomic<std::uint64_t> unshipped_records_{0};
  // Used by the keeper's thread only.
  KeepPolicy keep_;
  ShippedFiles shipped_;
  std::set<std::string> own_stems_;
  std::set<std::string> logged_;
  std::thread thread_;
};

}  // namespace ringside::consumer
