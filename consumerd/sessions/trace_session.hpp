#pragma once
// One running session: its buffers, its disk, and the files of segments that have ended.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "consumerd/log/log.hpp"
#include "consumerd/sessions/session_spec.hpp"
#include "consumerd/write/block_io.hpp"
#include "consumerd/write/session_cursors.hpp"
#include "consumerd/write/slot_writer.hpp"
#include "consumerd/write/staging_file.hpp"
#include "consumerd/write/trace_file.hpp"

namespace ringside::consumer {

struct SessionCounts {
  std::uint64_t records = 0;        // in the session's trace
  std::uint64_t dropped = 0;        // wanted, but its buffers were full
  std::uint64_t services_lost = 0;  // losses of services that its trace reports, before any filter
};

class TraceSession {
 public:
  // Null with `*why` if it gets no memory or no thread.
  static std::unique_ptr<TraceSession> start(SessionSpec spec, const std::string& shm_dir,
                                             const Log& log, std::string* why);

  const SessionSpec& spec() const { return spec_; }
  const std::string& shm_dir() const { return shm_dir_; }
  SlotWriter& writer() { return *writer_; }
  StagingFile& staging() { return *staging_; }
  SessionCounts& counts() { return counts_; }
  const SessionCounts& counts() const { return counts_; }
  std::uint64_t bytes_written() const { return writer_->bytes_written(); }
  // Whether its disk accepts nothing at present.
  bool is_failing() const { return writer_->failing() > 0; }

  // Whether it is ending: it takes nothing that is published later. `why` for its status.
  bool is_ending() const { return !end_.empty(); }
  void begin_end(const std::string& why) {
    if (end_.empty()) end_ = why;
  }
  const std::string& end() const { return end_; }

  // Takes over a finished file until all of it is written. With `cursors`, removes these then: the
  // segment is gone.
  void leave(std::unique_ptr<TraceFile> file, std::unique_ptr<SessionCursors> cursors);
  // Collects finished writes. Never waits.
  void poll();
  bool all_written() const { return leaving_.empty(); }

 private:
  struct Leaving {
    std::unique_ptr<TraceFile> file;
    std::unique_ptr<SessionCursors> cursors;  // null: they stay for the next consumerd
  };

  TraceSession(SessionSpec spec, const std::string& shm_dir)
      : spec_(std::move(spec)), shm_dir_(shm_dir) {}

  const SessionSpec spec_;
  const std::string shm_dir_;
  SessionCounts counts_;
  std::string end_;
  std::unique_ptr<StagingFile> staging_;
  std::unique_ptr<BlockIo> io_;
  std::unique_ptr<SlotWriter> writer_;
  std::vector<Leaving> leaving_;  // destroyed before the writer
};

}  // namespace ringside::consumer
