#include "consumerd/text/service_text.hpp"

#include <algorithm>
#include <ctime>
#include <unistd.h>
#include <utility>

#include "consumerd/files/file_packer.hpp"
#include "consumerd/text/text_marks.hpp"
#include "trace-format/lines/line_event.hpp"
#include "trace-format/lines/template_lines.hpp"
#include "trace-format/lines/text_lines.hpp"

namespace ringside::consumer {
namespace {

constexpr std::uint64_t kPieceBytes = 256U << 10;
constexpr std::uint64_t kPieceEvents = 100'000;  // also of those that --text-level leaves out
constexpr auto kRetryInterval = std::chrono::milliseconds(500);
constexpr auto kRetentionInterval = std::chrono::seconds(30);

std::unique_ptr<const trace::LineFormat> format_of(const TextPolicy& policy) {
  std::string why;  // the template was checked with the options
  std::unique_ptr<const trace::LineFormat> format;
  if (!policy.line_template.empty()) {
    format = trace::TemplateLines::make(policy.line_template, false, &why);
  }
  if (format == nullptr) format = std::make_unique<trace::TextLines>();
  return format;
}

std::uint64_t unix_s_now() {
  return static_cast<std::uint64_t>(std::time(nullptr));
}

}  // namespace

ServiceText::ServiceText(const TraceSource& source, std::string service, const TextPolicy& policy,
                         const Log& log, TextFigures& figures)
    : source_(source),
      service_(std::move(service)),
      log_(log),
      figures_(figures),
      cursor_(source_.output_dir, service_),
      file_(policy.dir, service_) {
  set_policy(policy);
}

void ServiceText::set_policy(const TextPolicy& policy) {
  policy_ = policy;
  format_ = format_of(policy_);
  texts_ = std::make_unique<trace::LineTexts>(*format_);
  clocks_ = std::make_unique<trace::LineClocks>(policy_.utc);
  next_retention_ = {};
}

bool ServiceText::load(std::string* why) {
  if (!cursor_.load(&state_, why)) return false;
  loaded_ = true;
  for (const SegmentPosition& at : state_.segments) {
    if (at.over) {
      finished_.push_back(at);
      remove_text_mark(source_.output_dir, service_, at);
    } else {
      segments_.push_back(std::make_unique<SegmentEvents>(source_, at, &sections_));
    }
  }
  std::erase_if(state_.segments, [](const SegmentPosition& at) { return at.over; });
  return true;
}

void ServiceText::hurry() {
  patient_ = false;
  for (const auto& segment : segments_) segment->search_at_once();
}

void ServiceText::adopt(const SegmentPosition& from, bool is_drained) {
  adoptions_.push_back({from, is_drained});
}

void ServiceText::read_adoptions() {
  for (const auto& [at, is_drained] : std::exchange(adoptions_, {})) {
    const auto is_same = [&uuid = at.uuid](const SegmentPosition& one) { return one.uuid == uuid; };
    if (std::any_of(finished_.begin(), finished_.end(), is_same)) continue;
    if (std::none_of(state_.segments.begin(), state_.segments.end(), is_same)) {
      segments_.push_back(std::make_unique<SegmentEvents>(source_, at, &sections_));
      state_.segments.push_back(at);
      merge_.reset();
    }
    for (const auto& segment : segments_) {
      if (is_drained && is_same(segment->position())) {
        segment->continues_at(at.file_sequence, at.section_offset);
      }
    }
  }
}

bool ServiceText::wants(const trace::Event& event) const {
  return event.kind == trace::EventKind::kLoss || event.record.site->level >= policy_.least_level;
}

bool ServiceText::is_due_to_rotate() const {
  if (!file_.is_open() || file_.bytes() == 0) return false;
  if (rotation_requested_) return true;
  const std::uint64_t now = unix_s_now();
  const std::uint64_t age = now - std::min(now, state_.begun_unix_s);
  return policy_.rotation.is_due(file_.bytes(), 0, std::chrono::seconds(age));
}

// Bytes until the file is full.
std::uint64_t ServiceText::room() const {
  const std::uint64_t most = policy_.rotation.bytes;
  return most == 0 || file_.bytes() >= most ? kPieceBytes
                                            : std::min(kPieceBytes, most - file_.bytes());
}

ServiceText::Result ServiceText::fail(const std::string& why, Clock::time_point now) {
  ++figures_.failures;
  retry_ = now + kRetryInterval;
  if (std::exchange(failing_, true)) return Result::kFailing;
  ++figures_.failing_services;
  log_.error(why + "; the trace continues, and the text follows when this succeeds",
             {{"file", file_.path()}});
  return Result::kFailing;
}

ServiceText::Result ServiceText::work(Clock::time_point now) {
  if (now < retry_) return Result::kFailing;
  std::string why;
  if (!loaded_ && !load(&why)) return fail(why, now);
  read_adoptions();
  if (now >= next_retention_) remove_surplus();
  // First what an earlier call could not do. A file whose content is not stored keeps its name.
  if (moved_ && !store_positions(&why)) return fail(why, now);
  // At once after a restart: what a killed process appended last is not in the file any more.
  if (!file_.is_open() && state_.inode != 0 && !open_file(&why)) return fail(why, now);
  if (!file_.is_open() || file_.bytes() == 0) rotation_requested_ = false;
  if (piece_written_ == 0 && is_due_to_rotate() && !rotate(&why)) return fail(why, now);
  // More can have come since a piece was made that could not be written.
  const bool is_old = piece_.size() != 0;
  if (!is_old) make_piece(now);
  if (piece_.size() != 0 && !write_piece(&why)) return fail(why, now);
  note_moves();
  if (moved_ && !store_positions(&why)) return fail(why, now);
  leave_segments();
  if (std::exchange(failing_, false)) {
    --figures_.failing_services;
    log_.notice("writing " + file_.path() + " again", {{"file", file_.path()}});
  }
  if (has_more_ || is_old) return Result::kMore;
  return merge_.is_waiting() ? Result::kWaiting : Result::kIdle;
}

void ServiceText::make_piece(Clock::time_point now) {
  const std::uint64_t most = room();
  has_more_ = true;
  for (std::uint64_t events = 0; piece_.size() < most && events < kPieceEvents; ++events) {
    SegmentEvents* const segment = merge_.next(segments_, now, patient_);
    has_more_ = segment != nullptr;
    if (segment == nullptr) return;
    segment->get(event_);
    if (wants(event_)) {
      texts_->of(event_)->append(piece_, trace::LineEvent::of(event_), *clocks_);
      ++piece_lines_;
    }
    segment->take();
  }
}

// Called only when everything that was taken is in the file.
void ServiceText::note_moves() {
  for (const auto& segment : segments_) moved_ = segment->take_moved() || moved_;
}

bool ServiceText::write_piece(std::string* why) {
  if (file_.is_open() && !file_.has_name()) {
    log_.notice(file_.path() + " was moved or removed; the text continues in a new file",
                {{"file", file_.path()}});
    file_.close();
  }
  if (!file_.is_open() && !open_file(why)) return false;
  if (!file_.append(piece_.text(), &piece_written_, why)) return false;
  figures_.bytes += piece_.size();
  figures_.lines += piece_lines_;
  piece_.clear();
  piece_written_ = 0;
  piece_lines_ = 0;
  moved_ = true;
  return true;
}

// Stores the file's name before anything is appended to it, with the positions as they were.
bool ServiceText::open_file(std::string* why) {
  const bool known = state_.inode != 0;
  if (!file_.open(state_.device, state_.inode, state_.bytes, why)) return false;
  const bool is_same = known && file_.device() == state_.device && file_.inode() == state_.inode;
  state_.device = file_.device();
  state_.inode = file_.inode();
  state_.bytes = file_.bytes();
  if (!is_same) state_.begun_unix_s = unix_s_now();
  if (is_same) piece_written_ = 0;  // the file ends where the cursor says
  if (cursor_.store(state_, why)) return true;
  file_.close();
  return false;
}

bool ServiceText::rotate(std::string* why) {
  if (file_.has_name() && !file_.rotate(why)) return false;
  file_.close();
  rotation_requested_ = false;
  log_.detail("starting a new " + file_.path(), {{"file", file_.path()}});
  remove_surplus();
  return open_file(why);
}

bool ServiceText::store_positions(std::string* why) {
  TextState next = state_;
  if (file_.is_open()) next.bytes = file_.bytes();
  next.segments.clear();
  for (const auto& segment : segments_) next.segments.push_back(segment->position());
  if (!cursor_.store(next, why)) return false;
  state_ = std::move(next);
  moved_ = false;
  return true;
}

// Forgets segments that the stored cursor calls over.
void ServiceText::leave_segments() {
  for (const SegmentPosition& at : state_.segments) {
    if (at.over) remove_text_mark(source_.output_dir, service_, at);
  }
  std::erase_if(state_.segments, [](const SegmentPosition& at) { return at.over; });
  const std::size_t left = std::erase_if(
      segments_, [](const std::unique_ptr<SegmentEvents>& one) { return one->is_over(); });
  if (left != 0) merge_.reset();
}

void ServiceText::remove_surplus() {
  next_retention_ = Clock::now() + kRetentionInterval;
  std::string why;
  if (file_.remove_surplus(policy_, &why)) return;
  ++figures_.failures;
  log_.error(why);
}

}  // namespace ringside::consumer
