#pragma once
// The text of one service: the events of its segments, as lines in its file.

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "consumerd/configuration/text_policy.hpp"
#include "consumerd/log/log.hpp"
#include "consumerd/text/event_merge.hpp"
#include "consumerd/text/text_cursor.hpp"
#include "consumerd/text/text_figures.hpp"
#include "consumerd/text/text_file.hpp"
#include "consumerd/text/trace_source.hpp"
#include "trace-format/lines/line_clocks.hpp"
#include "trace-format/lines/line_format.hpp"
#include "trace-format/lines/line_text.hpp"

namespace ringside::consumer {

// Each line is in the file once. The order of the steps makes that true whenever the process is
// killed: 1. the cursor names the file, with a length that it has; 2. lines are appended; 3. the
// cursor gets the new length and positions. What a killed process appended after its last cursor is
// removed from the file, and written again from the trace. Not thread-safe.
class ServiceText {
 public:
  using Clock = SegmentEvents::Clock;

  // The references must outlive it.
  ServiceText(const TraceSource& source, std::string service, const TextPolicy& policy,
              const Log& log, TextFigures& figures);

  void set_policy(const TextPolicy& policy);
  // The trace of a segment goes to this text from here on, unless it does already. `is_drained`:
  // this consumerd drains the segment into the section at this place.
  void adopt(const SegmentPosition& from, bool is_drained);
  // The next line goes to a new file.
  void request_rotation() { rotation_requested_ = true; }
  // From now on no event waits for others.
  void hurry();

  enum class Result {
    kIdle,     // everything available is written
    kFailing,  // the text cannot be written now: call again later
    kWaiting,  // events wait for older ones: call again soon
    kMore,     // call again
  };
  // Writes one piece.
  Result work(Clock::time_point now);
  // Whether no segment is left, and everything is stored.
  bool is_finished() const {
    return loaded_ && segments_.empty() && adoptions_.empty() && piece_.size() == 0 && !moved_;
  }

  // As stored last.
  const std::vector<SegmentPosition>& positions() const { return state_.segments; }

 private:
  bool load(std::string* why);
  void read_adoptions();
  void note_moves();
  bool is_due_to_rotate() const;
  bool open_file(std::string* why);
  bool rotate(std::string* why);
  void make_piece(Clock::time_point now);
  bool write_piece(std::string* why);
  bool store_positions(std::string* why);
  void leave_segments();
  void remove_surplus();
  Result fail(const std::string& why, Clock::time_point now);
  std::uint64_t room() const;
  bool wants(const trace::Event& event) const;

  const TraceSource& source_;
  const std::string service_;
  TextPolicy policy_;
  const Log& log_;
  TextFigures& figures_;
  TextCursor cursor_;
  TextFile file_;
  TextState state_;  // as stored last
  bool loaded_ = false;
  struct Adoption {
    SegmentPosition at;
    bool is_drained = false;
  };
  std::vector<Adoption> adoptions_;        // not read yet
  std::vector<SegmentPosition> finished_;  // segments that the loaded cursor called over
  EventMerge::Segments segments_;
  EventMerge merge_;
  std::uint32_t sections_ = 0;
  std::unique_ptr<const trace::LineFormat> format_;
  std::unique_ptr<trace::LineTexts> texts_;
  std::unique_ptr<trace::LineClocks> clocks_;
  trace::Event event_;
  trace::TextSink piece_;  // not appended yet, or only its first bytes
  std::size_t piece_written_ = 0;
  std::uint64_t piece_lines_ = 0;
  bool moved_ =
      false;  // the cursor is older than the text file and the segments; then piece_ is empty
  bool rotation_requested_ = false;
  bool patient_ = true;
  bool has_more_ = false;  // events are left
  bool failing_ = false;
  Clock::time_point retry_{};
  Clock::time_point next_retention_{};
};

}  // namespace ringside::consumer
