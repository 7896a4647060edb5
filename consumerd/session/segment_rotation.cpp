#include "consumerd/session/segment_rotation.hpp"

#include <utility>

namespace ringside::consumer {
namespace {

constexpr auto kRotationRetry = std::chrono::seconds(5);
constexpr auto kAstrayRetry = std::chrono::seconds(1);
// Minimum time between files requested through the segment: its service writes there too.
constexpr auto kRequestInterval = std::chrono::milliseconds(100);

}  // namespace

SegmentRotation::SegmentRotation(shm::ControlPage& control, const std::string& segment,
                                 const Log& log)
    : control_(control),
      segment_(segment),
      log_(log),
      asked_(control.tool_answers.rotation.load(std::memory_order_relaxed)),
      service_asked_(control.tool_answers.service_rotation.load(std::memory_order_relaxed)) {}

bool SegmentRotation::is_due(Clock::time_point now, const TraceFile& file,
                             const DrainCounts& counts) {
  // Pairs with the store of a tool, and with rotate() in the service.
  asked_ = control_.tool_requests.rotation.load(std::memory_order_acquire);
  service_asked_ = control_.losses.rotation_request.load(std::memory_order_acquire);
  if (now < retry_) return false;
  if (requested_) return true;
  const shm::ToolAnswers& answers = control_.tool_answers;
  if ((asked_ != answers.rotation.load(std::memory_order_relaxed) ||
       service_asked_ != answers.service_rotation.load(std::memory_order_relaxed)) &&
      now - section_start_ >= kRequestInterval) {
    return true;
  }
  // A section without records is not worth a file.
  return counts.records + counts.dropped > section_counts_.records + section_counts_.dropped &&
         policy_.is_due(file.file_bytes(), front_bytes_, now - section_start_);
}

bool SegmentRotation::must_leave(Clock::time_point now, const TraceFile& file) {
  if (!astray_ && now - last_name_check_ >= kNameCheckInterval) {
    last_name_check_ = now;
    astray_ = file.astray();
    if (astray_) {
      retry_ = now;
      log_.error(file.path() + " was removed, moved or replaced; creating a new file for its trace",
                 {{"segment", segment_}, {"file", file.path()}});
    }
  }
  return astray_ && now >= retry_;
}

void SegmentRotation::failed(const std::string& why, const TraceFile& file) {
  retry_ = Clock::now() + (astray_ ? kAstrayRetry : kRotationRetry);
  const Logged what = astray_ ? Logged::kStopped : Logged::kFailure;
  if (std::exchange(logged_, what) == what) return;
  log_.error(
      why + (astray_
                 ? "; the rings of " + segment_ + " are not drained until this succeeds; retrying"
                 : "; " + file.path() + " stays in use until the next file can be created"),
      {{"segment", segment_}, {"file", file.path()}});
}

void SegmentRotation::rotated(const TraceFile& file, const DrainCounts& counts) {
  astray_ = false;
  logged_ = Logged::kNothing;
  requested_ = false;
  const shm::ToolAnswers& answers = control_.tool_answers;
  was_asked_ = was_asked_ || asked_ != answers.rotation.load(std::memory_order_relaxed) ||
               service_asked_ != answers.service_rotation.load(std::memory_order_relaxed);
  // Pairs with the acquire of the tool and of the service: the new file has its name.
  control_.tool_answers.rotation.store(asked_, std::memory_order_release);
  control_.tool_answers.service_rotation.store(service_asked_, std::memory_order_release);
  section_counts_ = counts;
  section_start_ = Clock::now();
  front_bytes_ = file.file_bytes();
}

trace::EndBlock SegmentRotation::section_end(trace::EndReason reason,
                                             const DrainCounts& counts) const {
  trace::EndBlock end;
  end.records = counts.records - section_counts_.records;
  end.dropped = counts.dropped - section_counts_.dropped;
  end.reason = reason;
  return end;
}

}  // namespace ringside::consumer
