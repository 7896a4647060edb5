#pragma once
// The events of one segment from its trace files, while these are written.

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "consumerd/text/committed_section.hpp"
#include "consumerd/text/segment_position.hpp"
#include "consumerd/text/trace_source.hpp"
#include "trace-format/reader/section_reader.hpp"

namespace ringside::consumer {

// Begins at a position, and states its position after each event, so that a later process continues
// with the next one. Not thread-safe.
class SegmentEvents {
 public:
  using Clock = std::chrono::steady_clock;

  // `section_number`: counts the sections of all segments whose events go to one text.
  // Both must outlive this object.
  SegmentEvents(const TraceSource& source, SegmentPosition from, std::uint32_t* section_number);

  // The trace continues at this place: sections before it are final, even those without END.
  void continues_at(std::uint32_t file_sequence, std::uint64_t offset);

  // The next call of next() does not wait with searching the directory.
  void search_at_once() { next_lookup_ = {}; }

  // Moves to the next event. False if there is none now; then a call with the same time is cheap.
  // Invalidates the preceding event.
  bool next(Clock::time_point now);
  bool has_event() const { return has_event_; }
  const trace::EventKey& key() const { return reader_->key(); }  // of the event
  void get(trace::Event& event);
  // The event is handled: position() includes it.
  void take();

  // All events older than this were delivered; of no meaning while there is an event.
  std::uint64_t limit_ns() const { return reader_ ? reader_->limit_ns() : 0; }
  // When the present events were found.
  Clock::time_point found() const { return found_; }
  const SegmentPosition& position() const { return position_; }
  bool is_over() const { return position_.over; }
  // Whether position() has changed since the last call.
  bool take_moved() { return std::exchange(moved_, false); }

 private:
  std::string path_of(std::uint32_t sequence) const;
  std::shared_ptr<CommittedSection> open_at(std::uint32_t sequence, std::uint64_t offset) const;
  std::shared_ptr<CommittedSection> open_later_file(std::uint32_t* sequence) const;
  bool can_grow(std::uint32_t sequence) const;
  bool open_section(Clock::time_point now);
  bool open_next_file();
  void delay_lookup(Clock::time_point now);
  bool begin_section(Clock::time_point now);
  void begin_reader();
  bool is_handled();
  bool find_next(Clock::time_point now);
  bool is_final(Clock::time_point now);
  void leave_section();

  const TraceSource& source_;
  SegmentPosition position_;
  std::uint32_t* const section_number_;
  std::uint32_t final_sequence_ = 0;  // sections before this place are final
  std::uint64_t final_offset_ = 0;
  std::shared_ptr<CommittedSection> section_;
  std::unique_ptr<trace::SectionReader> reader_;
  trace::ReadOptions options_;
  trace::ReadReport report_;
  std::unique_ptr<trace::SequenceLedger> ledger_;
  bool was_rotated_ = false;  // the preceding section ends with a rotation
  std::uint32_t number_ = 0;  // of the section
  std::uint64_t skip_events_ = 0;
  std::uint64_t skip_gaps_ = 0;
  trace::Event scratch_;
  bool has_event_ = false;
  bool moved_ = false;
  Clock::time_point idle_at_{};  // when next() found nothing
  Clock::time_point found_{};
  Clock::time_point next_lookup_{};  // default: at once
  std::chrono::milliseconds lookup_interval_{};
};

}  // namespace ringside::consumer
