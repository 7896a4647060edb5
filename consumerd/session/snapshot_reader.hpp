#pragma once
// Snapshots of one segment, whose rings are overwritten: they are read when a tool or a trigger
// asks, and when the service has ended. Each snapshot has a separate file, except one that an
// earlier consumerd has begun. A record is in one snapshot only, and losses are reported between
// snapshots: the files of a segment together are its trace, as if its rings had been drained
// continuously.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "consumerd/drain/ring_drain.hpp"
#include "consumerd/log/log.hpp"
#include "consumerd/requests/snapshot_requests.hpp"
#include "consumerd/write/trace_file.hpp"
#include "shm-layout/control_page.hpp"

namespace ringside::consumer {

class SnapshotReader {
 public:
  enum class Stage : std::uint8_t {
    kNone,
    kReading,
    kWriting,  // everything is sealed, but not yet in the file
  };

  // `segment`: its name, for the log.
  SnapshotReader(shm::ControlPage& control, const std::string& segment, const Log& log)
      : requests_(control), segment_(segment), log_(log) {}

  // The session continues `file`. A request that is open now was made to an earlier consumer, and
  // the file has what that one took.
  void resume(const TraceFile& file);
  // The session continues in a new file.
  void enter_file() { file_has_records_ = false; }

  // A trigger wants a snapshot, without an answer.
  void want() { wanted_ = true; }
  bool is_wanted() const { return wanted_; }
  // Whether a tool asks for a snapshot, or a trigger wants one and there is anything in the rings.
  bool is_due(std::span<const RingDrain> rings);

  Stage stage() const { return stage_; }
  // Whether the next snapshot cannot continue the present file.
  bool needs_file() const { return file_has_records_ && !continues_; }
  // `tsc`: the present time. `counts`: of the whole session, here and below.
  void begin(std::uint64_t tsc, const DrainCounts& counts);
  std::uint64_t begin_tsc() const { return begin_tsc_; }
  // Takes as much as one round may, about `most_bytes`, including copies that were of no use.
  // kMore: call it again.
  RingDrain::Result read(std::span<RingDrain> rings, std::uint64_t most_bytes, const DrainWay& way);
  // All is read, and its losses and its sequence point are in the file.
  void seal(TraceFile& file);
  // If everything sealed is written, logs the snapshot, and answers the tool that asked for it.
  void finish_if_written(const TraceFile& file, const DrainCounts& counts);

  // The last snapshot: the service has written its last record. It includes the rest of a snapshot
  // that is under way; otherwise begin() or, without anything in the rings, begin_empty() precedes.
  void begin_empty(const DrainCounts& counts) { counts_ = counts; }
  RingDrain::Result read_last(std::span<RingDrain> rings, std::uint64_t most_bytes,
                              const DrainWay& way, const TraceFile& file);
  bool last_is_taken() const { return last_taken_; }
  // Answers a tool that asks when the last snapshot is written.
  void answer_last(const DrainCounts& counts);

 private:
  void answer(const DrainCounts& counts);

  SnapshotRequests requests_;
  const std::string& segment_;
  const Log& log_;
  std::string path_;             // of the present or last snapshot
  std::uint64_t begin_tsc_ = 0;  // the present time at its beginning
  std::uint64_t sealed_ = 0;     // value of sealed() that completes it
  DrainCounts counts_;           // at its beginning
  std::size_t ring_ = 0;         // rings from this one on remain to be read
  Stage stage_ = Stage::kNone;
  bool wanted_ = false;     // by a trigger
  bool asked_ = false;      // a tool waits for the answer to the present one
  bool continues_ = false;  // a snapshot that an earlier consumerd was asked for
  bool last_taken_ = false;
  bool file_has_records_ = false;  // from this or another consumerd
};

}  // namespace ringside::consumer
