#pragma once
// Makes files durable: their contents (fdatasync) and their names (fsync of the directory).

#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <utility>

#include "consumerd/configuration/sync_policy.hpp"
#include "consumerd/descriptors/unique_fd.hpp"
#include "consumerd/log/log.hpp"
#include "consumerd/write/block_io.hpp"

namespace ringside::consumer {

// A file that can be synced. It keeps its address, its descriptor and the object itself until no
// sync of it is under way.
class SyncedFile {
 public:
  // `has_unsynced`: whether it may have contents that are not durable.
  SyncedFile(int fd, std::string path, bool has_unsynced)
      : fd_(fd), path_(std::move(path)), has_unsynced_(has_unsynced) {}

  bool is_busy() const { return is_busy_; }
  // Whether something was written since the last sync began, or that sync has failed.
  bool has_unsynced() const { return has_unsynced_; }
  void note_written() { has_unsynced_ = true; }
  // Whether a sync has succeeded since the file was opened.
  bool was_synced() const { return was_synced_; }
  // Whether a sync has failed before, and was not asked for here yet: what was in the file when it
  // was opened may not be durable.
  bool take_first_failure() { return std::exchange(has_first_failure_, false); }

 private:
  friend class FileSyncer;
  const int fd_;
  const std::string path_;
  bool has_unsynced_;
  bool is_busy_ = false;
  bool was_synced_ = false;
  bool has_first_failure_ = false;
  // The process that created the file may not have synced the directory.
  bool has_durable_name_ = false;
};

// Not thread-safe.
class FileSyncer {
 public:
  // `error`: 0, or the errno of the step that failed. What was written before start() and since the
  // last successful sync may then be missing after a crash of the machine, even if a later sync
  // succeeds: the kernel does not write such pages again.
  using Done = std::function<void(int error)>;

  FileSyncer(BlockIo& io, SyncWhen when, const Log& log) : io_(io), when_(when), log_(log) {}

  // Makes everything durable that was written to `file` before. `done` runs from poll() or
  // finish(). The file must not be busy; it is until then.
  void start(SyncedFile& file, Done done);

  // Submits what can be submitted.
  void poll();
  void finish(const WriteCompletion& completion);
  // A file that has to be synced could not even be opened: counts and logs that.
  void refused(const std::string& path, int error);

  bool is_idle() const { return under_way_ == 0 && waiting_.empty(); }
  // A sync takes more than seconds: it may never end.
  bool is_late() const { return late_ > 0; }

  // So far: syncs of contents that succeeded; failures, of contents and of names.
  void count(std::uint64_t* syncs, std::uint64_t* failures) const {
    *syncs = syncs_;
    *failures = failures_;
  }

 private:
  using Clock = std::chrono::steady_clock;
  struct Job {
    SyncedFile* file = nullptr;  // null: unused
    Done done;
    UniqueFd directory;  // open: its sync is the present step
    bool submitted = false;
    bool late = false;
    std::uint32_t passing = 0;  // attempts in a row that ended in a transient error
    Clock::time_point since;
  };

  void assign(SyncedFile& file, Done done);
  void submit(std::uint32_t number);
  void end(std::uint32_t number, int error);
  void log_failure(const std::string& path, const std::string& why);

  BlockIo& io_;
  const SyncWhen when_;
  const Log& log_;
  std::array<Job, kMostSyncs> jobs_;
  std::deque<std::pair<SyncedFile*, Done>> waiting_;
  std::uint32_t under_way_ = 0;
  std::uint32_t late_ = 0;
  std::uint64_t syncs_ = 0;
  std::uint64_t failures_ = 0;
  std::string logged_failure_;  // the failure that was last logged; empty while nothing fails
};

}  // namespace ringside::consumer
