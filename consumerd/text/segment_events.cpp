#include "consumerd/text/segment_events.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "consumerd/files/file_numbers.hpp"
#include "consumerd/files/section_front.hpp"
#include "consumerd/files/trace_name.hpp"
#include "consumerd/write/unwritten_data.hpp"
#include "trace-format/reader/section_scan.hpp"

namespace ringside::consumer {
namespace {

// Between searches of the directory for a segment that has no further section, rising.
constexpr std::chrono::milliseconds kFirstLookupInterval(20);
constexpr std::chrono::milliseconds kLastLookupInterval(5000);

bool is_gap(const trace::Event& event) {
  return event.kind == trace::EventKind::kLoss && event.cause == shm::LossCause::kMissing;
}

}  // namespace

SegmentEvents::SegmentEvents(const TraceSource& source, SegmentPosition from,
                             std::uint32_t* section_number)
    : source_(source), position_(std::move(from)), section_number_(section_number) {}

std::string SegmentEvents::path_of(std::uint32_t sequence) const {
  return source_.output_dir + "/" + TraceName{position_.stem, sequence, false}.text();
}

void SegmentEvents::continues_at(std::uint32_t file_sequence, std::uint64_t offset) {
  final_sequence_ = file_sequence;
  final_offset_ = offset;
  search_at_once();
}

// Whether a file before the newest one can still get data. A new file has its front at once, while
// the data for the file before it waits in staging slots.
bool SegmentEvents::can_grow(std::uint32_t sequence) const {
  // A session begins after recovery, so earlier files have everything.
  return sequence >= final_sequence_ &&
         has_unwritten_data(source_.shm_dir, source_.output_dir, path_of(sequence));
}

// No process will append to the present section.
bool SegmentEvents::is_final(Clock::time_point now) {
  if (std::tie(position_.file_sequence, position_.section_offset) <
      std::tie(final_sequence_, final_offset_)) {
    return true;
  }
  std::uint8_t boot_id[16];
  std::copy(section_->boot_id().begin(), section_->boot_id().end(), std::begin(boot_id));
  if (!is_this_boot(boot_id)) return true;
  // If the service has ended and its segment is removed, no session announces a later place.
  if (now < next_lookup_) return false;
  std::uint32_t later = 0;
  // Checked again after the search, because a session could continue this file before it.
  if (!can_grow(position_.file_sequence) && open_later_file(&later) &&
      !can_grow(position_.file_sequence)) {
    return true;
  }
  delay_lookup(now);
  return false;
}

bool SegmentEvents::open_section(Clock::time_point now) {
  // A session has announced a section of this file, whose beginning is not written yet.
  const bool is_expected = position_.file_sequence == final_sequence_;
  if (!is_expected && now < next_lookup_) return false;
  section_ = open_at(position_.file_sequence, position_.section_offset);
  if (section_) {
    // Directly after the preceding one, so no record can be missing between them.
    ledger_.reset();
    return true;
  }
  if (now < next_lookup_) return false;
  if (open_next_file()) return true;
  delay_lookup(now);
  return false;
}

void SegmentEvents::delay_lookup(Clock::time_point now) {
  if (next_lookup_ == Clock::time_point()) lookup_interval_ = kFirstLookupInterval;
  next_lookup_ = now + lookup_interval_;
  lookup_interval_ = std::min(2 * lookup_interval_, kLastLookupInterval);
}

std::shared_ptr<CommittedSection> SegmentEvents::open_at(std::uint32_t sequence,
                                                         std::uint64_t offset) const {
  return CommittedSection::open(source_.files, path_of(sequence), offset, position_.uuid);
}

// The first section of the next file of this segment that exists. Null if there is none, or if its
// beginning is not written yet.
std::shared_ptr<CommittedSection> SegmentEvents::open_later_file(std::uint32_t* sequence) const {
  const auto numbers =
      file_numbers(source_.output_dir, position_.stem, position_.file_sequence + 1);
  if (!numbers) return nullptr;
  for (const std::uint32_t later : *numbers) {
    *sequence = later;
    if (auto section = open_at(later, 0)) return section;
    // Segments of different containers may share the stem.
    if (CommittedSection::is_of_another(source_.files, path_of(later), position_.uuid)) continue;
    if (can_grow(later)) return nullptr;
    if (auto section = open_at(later, 0)) return section;  // written meanwhile
  }
  return nullptr;
}

// The present file has no further section, or is gone.
bool SegmentEvents::open_next_file() {
  std::uint32_t sequence = 0;
  std::shared_ptr<CommittedSection> next = open_later_file(&sequence);
  if (!next) return false;
  // No section is added to this file once the next one exists, but the last one may still be on its
  // way. After the END of a rotation there is none.
  if (!was_rotated_ && can_grow(position_.file_sequence)) return false;
  section_ = open_at(position_.file_sequence, position_.section_offset);
  if (section_) return true;
  if (was_rotated_ && sequence == position_.file_sequence + 1) ledger_.reset();
  position_.file_sequence = sequence;
  position_.section_offset = 0;
  moved_ = true;
  section_ = std::move(next);
  return true;
}

// Reads the section like one that grows, whether it does or not, so that the order of its events is
// always the same.
void SegmentEvents::begin_reader() {
  std::vector<trace::SectionScan> sections =
      trace::scan_sections_from(*section_, position_.section_offset, report_);
  if (sections.empty()) return;
  if (!ledger_) {
    ledger_ = std::make_unique<trace::SequenceLedger>();
    for (const auto& [cause, count] : position_.stray_losses) {
      ledger_->counted().add({0, cause, 0, count}, false);
    }
  }
  sections[0].late.clear();
  sections[0].points.clear();
  const std::size_t place = ledger_->add_section();
  reader_ = std::make_unique<trace::SectionReader>(
      section_, std::move(sections[0]),
      trace::SectionContext{&options_, &report_, ledger_.get(), place, nullptr});
  reader_->follow();
  number_ = (*section_number_)++;
  skip_events_ = position_.events;
  skip_gaps_ = position_.gaps;
}

// Whether the event was handled before this process read the section.
bool SegmentEvents::is_handled() {
  if (skip_events_ == 0 && skip_gaps_ == 0) return false;
  reader_->get(scratch_);
  const bool gap = is_gap(scratch_);
  if (skip_events_ > 0) {
    if (!gap) --skip_events_;
    return true;
  }
  skip_gaps_ = gap ? skip_gaps_ - 1 : 0;
  return gap;
}

bool SegmentEvents::next(Clock::time_point now) {
  has_event_ = false;
  if (now == idle_at_) return false;
  has_event_ = find_next(now);
  if (!has_event_) idle_at_ = now;
  return has_event_;
}

bool SegmentEvents::find_next(Clock::time_point now) {
  while (!position_.over) {
    if (!reader_ && !begin_section(now)) return false;
    if (reader_->next()) {
      if (!is_handled()) return true;
    } else if (!reader_->is_waiting()) {
      leave_section();
    } else if (section_->advance()) {
      found_ = now;
      reader_->grow();
    } else {
      if (!section_->is_over() && is_final(now)) section_->finish();
      if (!section_->is_over()) return false;
      reader_->grow();
      reader_->stop_following();
    }
  }
  return false;
}

// False if there is no section, or nothing in it, for now.
bool SegmentEvents::begin_section(Clock::time_point now) {
  if (!section_ && !open_section(now)) return false;
  if (!section_->advance()) {
    if (is_final(now)) section_->finish();
    if (!section_->is_over()) return false;
  }
  found_ = now;
  begin_reader();
  return reader_ != nullptr;
}

void SegmentEvents::get(trace::Event& event) {
  reader_->get(event);
  event.section = number_;
}

void SegmentEvents::take() {
  reader_->get(scratch_);
  if (is_gap(scratch_)) {
    ++position_.gaps;
  } else {
    ++position_.events;
    position_.gaps = 0;
  }
  has_event_ = false;
  moved_ = true;
}

void SegmentEvents::leave_section() {
  for (const auto& [cause, count] : section_->stray_losses()) {
    std::uint64_t& highest = position_.stray_losses[cause];
    highest = std::max(highest, count);
  }
  position_.section_offset = section_->next_section();
  position_.events = position_.gaps = 0;
  position_.over = section_->end_reason() == trace::EndReason::kServiceEnded;
  was_rotated_ = section_->end_reason() == trace::EndReason::kRotation;
  next_lookup_ = {};
  moved_ = true;
  reader_.reset();
  section_.reset();
}

}  // namespace ringside::consumer
