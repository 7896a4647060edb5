#include "tools/ringctl/snapshot_request.hpp"

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <utility>

#include "shm-layout/control_page.hpp"
#include "shm-layout/segment_lock.hpp"
#include "shm-layout/segment_name.hpp"
#include "tools/live/segment_file_lock.hpp"
#include "tools/text/error_text.hpp"

namespace ringside::tool {
namespace {

constexpr std::uint64_t kRequested =
    offsetof(shm::ControlPage, snapshot_request) + offsetof(shm::SnapshotRequest, requested);
constexpr std::uint64_t kAnswer = offsetof(shm::ControlPage, snapshot_answer);
constexpr std::uint64_t kEndedOverwritten =
    offsetof(shm::ControlPage, service) + offsetof(shm::ServiceLine, overwritten_streams_lost);

}  // namespace

SnapshotRequest::SnapshotRequest(std::unique_ptr<WritableSegment> file)
    : file_(std::move(file)),
      segment_(file_->path().substr(file_->path().rfind('/') + 1)),
      service_(shm::service_of_segment_name(segment_)) {}

std::optional<SnapshotRequest> SnapshotRequest::open(const std::string& path, std::string* why) {
  std::unique_ptr<WritableSegment> file = WritableSegment::open(path, why);
  if (file == nullptr || !file->overwritten()) return {};
  return SnapshotRequest(std::move(file));
}

SnapshotRequest::State SnapshotRequest::fail(std::string why) {
  why_ = std::move(why);
  return State::kFailed;
}

SnapshotRequest::State SnapshotRequest::ask() {
  struct flock lock = byte_lock(shm::kSnapshotLockByte);
  if (fcntl(file_->fd(), F_OFD_SETLK, &lock) != 0) {
    if (errno == EAGAIN || errno == EACCES || errno == EINTR) return State::kWaiting;
    return fail("cannot lock " + file_->path() + ": " + error_text(errno));
  }
  if (!file_->has_consumer()) {
    return fail("no consumerd serves " + file_->path() +
                "; start one, or print its records with ringcat --segment");
  }
  std::uint64_t answered = 0;
  if (!read(kAnswer + offsetof(shm::SnapshotAnswer, answered), &answered, sizeof answered)) {
    return State::kFailed;
  }
  // Only the holder of the lock writes here.
  number_ = answered + 1;
  if (!file_->write(file_->layout().control_offset + kRequested, &number_, sizeof number_, &why_)) {
    return State::kFailed;
  }
  asked_ = true;
  return State::kWaiting;
}

SnapshotRequest::State SnapshotRequest::advance() {
  if (!asked_) return ask();
  std::uint64_t words[4] = {};
  if (!read(kAnswer, words, sizeof words)) return State::kFailed;
  if (words[0] != number_) return State::kWaiting;
  // The words beside the number were written before it, and no other tool can ask at the same time.
  char path[shm::kSnapshotPathBytes] = {};
  if (!read(kAnswer, words, sizeof words) ||
      !read(kAnswer + offsetof(shm::SnapshotAnswer, path), path, sizeof path) ||
      !read(kEndedOverwritten, &answer_.ended_overwritten, sizeof words[0])) {
    return State::kFailed;
  }
  answer_.records = words[1];
  answer_.lost = words[2];
  answer_.overwritten = words[3];
  answer_.path.assign(path, strnlen(path, sizeof path));
  return State::kAnswered;
}

std::string SnapshotRequest::hindrance() const {
  if (!asked_) return "another tool is waiting for a snapshot of " + file_->path();
  if (!file_->has_consumer()) {
    return "the consumerd of " + file_->path() +
           " has ended; the next consumerd takes the snapshot";
  }
  return "the consumerd of " + file_->path() +
         " does not answer: it is stopped, or its disk is full or slow; run ringctl doctor";
}

}  // namespace ringside::tool
