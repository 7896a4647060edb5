#pragma once
// Requests a snapshot from the consumerd of a segment (shm-layout/README.md, "Snapshots").

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "tools/ringctl/writable_segment.hpp"

namespace ringside::tool {

struct SnapshotAnswer {
  std::string path;  // of the trace file, as consumerd sees it
  std::uint64_t records = 0;
  std::uint64_t lost = 0;         // reported in the snapshot, for all causes
  std::uint64_t overwritten = 0;  // part of `lost`
  // Records of ended threads, since the service began: another thread claimed their rings before a
  // snapshot.
  std::uint64_t ended_overwritten = 0;
};

// A request for one segment whose rings are overwritten.
class SnapshotRequest {
 public:
  // For a segment's file. Empty with `*why` if it cannot be asked; empty without `*why` if its
  // rings are drained all the time, or it is not ready or gone.
  static std::optional<SnapshotRequest> open(const std::string& path, std::string* why);

  const std::string& segment() const { return segment_; }  // the file's name
  const std::string& service() const { return service_; }
  std::uint32_t pid() const { return file_->pid(); }

  enum class State {
    kWaiting,   // try again later: another tool has asked, or there is no answer yet
    kAnswered,  // see answer()
    kFailed,    // see why()
  };
  // Call it before the first step: see WritableSegment.
  bool wait_for_consumer(std::chrono::steady_clock::time_point deadline) const {
    return file_->wait_for_consumer(deadline);
  }
  // One step: sends the request, or checks for the answer.
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
