#pragma once
// One session's trace of one segment: chooses records, encodes them a second time, and appends them
// to the session's own file, with sequence numbers, dictionary and sequence points of its own.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "consumerd/discover/attached_segment.hpp"
#include "consumerd/drain/batch_taker.hpp"
#include "consumerd/drain/dictionary_feed.hpp"
#include "consumerd/rules/record_pass.hpp"
#include "consumerd/sessions/record_choice.hpp"
#include "consumerd/sessions/trace_session.hpp"
#include "trace-format/blocks/clock_map.hpp"

namespace ringside::consumer {

// What a tap shares with the main trace of its segment; outlives the tap.
struct TapSource {
  AttachedSegment& segment;
  DictionaryFeed& dictionary;
  trace::ExtentEncoder& encoder;
  const Log& log;
};

// The last two steps of the segment's clock.
struct ClockSteps {
  trace::ClockPoint before;
  trace::ClockPoint last;
};

class SessionTap {
 public:
  // Continues where a consumerd before this one stopped. Null with `*why` (what, and the remedy).
  static std::unique_ptr<SessionTap> open(TraceSession& session, const TapSource& source,
                                          std::string* why);

  TraceSession& session() { return session_; }
  const RecordChoice& choice() const { return choice_; }
  SessionCursors& cursors() { return *cursors_; }
  void follow_sites(const trace::SiteTable& sites) { choice_.follow(sites); }
  void set_rules(std::shared_ptr<const RecordRules> rules);
  void set_clock(const ClockSteps& clock) { clock_ = clock; }

  // As BatchTaker.
  void take(const trace::SiteTable& sites, const RingBatch& batch);
  void add_losses(const RingBatch& at, std::uint64_t losses);

  // After a round: everything older than `watermark_tsc` was taken.
  void end_round(std::uint64_t watermark_tsc, std::chrono::steady_clock::time_point now);

  // Ends the file. False if there is no room for its last blocks now: call it again.
  bool finish(trace::EndReason reason);
  // After finish(), or instead of it: hands the file to the session. `segment_ended`: no consumerd
  // will see the segment again.
  void leave(bool segment_ended);

 private:
  struct RingState {
    CursorState stored{};
    trace::StreamCursor cursor;
    std::uint32_t processor = 0;  // code of that of the next record of the ring
    FollowedContext context;      // at stored.pos, if context_known
    bool context_known = false;
    trace::StreamPosition in_point;  // in the last sequence point
    bool known = false;
    bool announced = false;  // its STREAM block is in this section
    bool kept = false;       // its state is in the cursor file
  };
  // Whole records from the front of a batch, and those among them that are wanted (chosen_).
  struct Chunk {
    std::size_t bytes = 0;
    std::uint64_t records = 0;
    std::uint64_t dropped = 0;  // by the service, according to drop records
  };

  SessionTap(TraceSession& session, const TapSource& source);
  RingState& enter(const RingBatch& batch);
  void find_context(const trace::SiteTable& sites, const RingBatch& batch, RingState& ring);
  void enter_context(const trace::SiteTable& sites, RingState& ring);
  Chunk choose(const trace::SiteTable& sites, const RingBatch& batch, std::size_t at,
               RingState* ring);
  bool write(const trace::SiteTable& sites, const RingBatch& batch, const Chunk& chunk,
             RingState* ring);
  void store(std::uint32_t index, RingState* ring);
  bool prepare();
  bool begin_section();
  bool write_clock();
  bool write_dictionary();
  bool write_point(std::uint64_t watermark_tsc);
  bool write_pending_drops();
  bool may_write(std::chrono::steady_clock::time_point now);
  void change_file(std::chrono::steady_clock::time_point now);
  std::vector<std::byte> section_front(std::uint32_t sequence) const;
  trace::EndBlock section_end(trace::EndReason reason) const;

  TraceSession& session_;
  const TapSource source_;
  std::unique_ptr<shm::SegmentHeader> header_;  // a copy with the uuid of the session's trace
  std::unique_ptr<TraceFile> file_;
  std::unique_ptr<SessionCursors> cursors_;
  RecordChoice choice_;
  std::unique_ptr<RecordPass> pass_;  // hides values; null: no rule concerns the service
  std::vector<RingState> rings_;
  std::vector<trace::StreamPosition> moved_;
  std::vector<std::byte> chosen_;
  ClockSteps clock_;
  trace::ClockPoint written_clock_;
  std::size_t dictionary_bytes_ = 0;  // written, in this section
  std::uint64_t watermark_tsc_ = 0;   // of the last sequence point in this section
  std::uint64_t pending_bytes_ = 0;   // since then
  SessionCounts section_;
  std::chrono::steady_clock::time_point last_point_;
  std::chrono::steady_clock::time_point last_name_check_;
  std::chrono::steady_clock::time_point retry_;
  bool begun_ = false;
  bool astray_ = false;  // the file has lost its name
  bool finished_ = false;
  bool logged_ = false;  // the failure to create the next file
};

}  // namespace ringside::consumer
