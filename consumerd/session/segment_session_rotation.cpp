// How SegmentSession continues in a new file: when a rotation is due, and what it writes to the old
// and the new file.
#include <utility>

#include "consumerd/files/section_front.hpp"
#include "consumerd/session/segment_session.hpp"

namespace ringside::consumer {
namespace {

using std::chrono::steady_clock;

constexpr auto kRotationRetry = std::chrono::seconds(5);
// Minimum time between files requested through the segment: its service writes there too.
constexpr auto kRequestInterval = std::chrono::milliseconds(100);

}  // namespace

bool SegmentSession::rotation_is_due(steady_clock::time_point now) {
  const shm::ControlPage& control = segment_->control();
  // Pairs with the store of a tool.
  rotation_asked_ = control.tool_requests.rotation.load(std::memory_order_acquire);
  if (now < rotation_retry_) return false;
  if (rotation_requested_) return true;
  if (rotation_asked_ != control.tool_answers.rotation.load(std::memory_order_relaxed) &&
      now - section_start_ >= kRequestInterval) {
    return true;
  }
  // A section without records is not worth a file.
  return counts_.records + counts_.dropped > section_counts_.records + section_counts_.dropped &&
         rotation_.is_due(file_->file_bytes(), front_bytes_, now - section_start_);
}

// False if staging is full. If the next file cannot be created, that is tried again later: the
// present file is not ended, so the trace continues in it.
bool SegmentSession::rotate(std::uint64_t watermark_tsc) {
  // Each snapshot reports its own losses.
  if (!overwritten_ && !report_losses()) return false;
  if (points_.has_pending() && !points_.write(watermark_tsc, rings_, *file_)) return false;
  change_file();
  return true;
}

// False if the next file cannot be created: that is tried again later.
bool SegmentSession::change_file() {
  std::string why;
  const bool done =
      file_->rotate([this](std::uint32_t sequence) { return section_front(sequence); },
                    section_end(trace::EndReason::kRotation), &why);
  if (!done) {
    rotation_retry_ = steady_clock::now() + (astray_ ? kAstrayRetry : kRotationRetry);
    if (!std::exchange(logged_rotation_, true) || astray_ != logged_astray_) {
      log_.error(
          why + (astray_ ? "; nothing is taken from the rings of " + name() +
                               " until it can be, trying again until it works"
                         : "; " + file_->path() + " goes on until the next file can be made"),
          {{"segment", name()}, {"file", file_->path()}});
    }
    logged_astray_ = astray_;
    return false;
  }
  publish_file_sequence();
  if (std::exchange(astray_, false)) points_.pending_bytes() = 0;
  dictionary_->enter_restated_section();
  for (RingDrain& ring : rings_) ring.enter_restated_section();
  logged_rotation_ = false;
  rotation_requested_ = false;
  // Pairs with the acquire of the tool: the new file has its name.
  segment_->control().tool_answers.rotation.store(rotation_asked_, std::memory_order_release);
  section_counts_ = counts_;
  file_has_records_ = false;
  section_start_ = steady_clock::now();
  front_bytes_ = file_->file_bytes();
  points_.begin_section();
  log_.detail("goes on in " + file_->path(), {{"segment", name()}, {"file", file_->path()}});
  return true;
}

// The front of a section that continues where the present one is: with everything that the first
// record depends on.
std::vector<std::byte> SegmentSession::section_front(std::uint32_t sequence) {
  const trace::SectionHeader header = section_header(segment_->header(), sequence);
  std::vector<std::byte> front(kSectionFrontBytes);
  std::size_t bytes = trace::write_header_block(header, front);
  bytes += clock_->write_last_points(std::span(front).subspan(bytes));
  front.resize(bytes);
  dictionary_->restate(&front);
  for (RingDrain& ring : rings_) ring.restate_stream(&front);
  return front;
}

trace::EndBlock SegmentSession::section_end(trace::EndReason reason) const {
  trace::EndBlock end;
  end.records = counts_.records - section_counts_.records;
  end.dropped = counts_.dropped - section_counts_.dropped;
  end.reason = reason;
  return end;
}

}  // namespace ringside::consumer
