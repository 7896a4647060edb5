#pragma once
// Asks the consumerd of a segment for a snapshot (shm-layout/README.md, "Snapshots").

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "tools/writable_segment.hpp"

namespace ringside::tool {

struct SnapshotAnswer {
  std::string path;  // of the trace file, as consumerd sees it
  std::uint64_t records = 0;
  std::uint64_t lost = 0;         // told in the snapshot, whatever the cause
  std::uint64_t overwritten = 0;  // part of `lost`
  // Of ended threads, since the service began: their rings were taken before a snapshot.
  std::uint64_t ended_overwritten = 0;
};

// One segment whose rings are overwritten.
class SnapshotRequest {
 public:
  // Of a segment's file. Empty with `*why` if it is none that can be asked, and without if its
  // rings are drained all the time, or it is not ready or gone.
  static std::optional<SnapshotRequest> open(const std::string& path, std::string* why);

  const std::string& segment() const { return segment_; }  // the file's name
  const std::string& service() const { return service_; }
  std::uint32_t pid() const { return file_->pid(); }

  enum class State {
    kWaiting,   // again later: another tool has asked, or there is no answer yet
    kAnswered,  // see answer()
    kFailed,    // see why()
  };
  // One step: asks, or looks for the answer.
  State advance();
  const SnapshotAnswer& answer() const { return answer_; }
  const std::string& why() const { return why_; }
  // What it waits for.
  std::string hindrance() const;

 private:
  explicit SnapshotRequest(std::unique_ptr<WritableSegment> file);
  bool read(std::uint64_t offset, void* out, std::size_t bytes) {
    return file_->read(file_->layout().control_offset + offset, out, bytes, &why_);
  }
  State ask();
  State fail(std::string why);

  std::unique_ptr<WritableSegment> file_;
  std::string segment_;
  std::string service_;
  bool asked_ = false;
  std::uint64_t number_ = 0;
  SnapshotAnswer answer_;
  std::string why_;
};

}  // namespace ringside::tool
