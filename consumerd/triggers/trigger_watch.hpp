#pragma once
// Finds records that set triggers off, of one service, in private copies of its rings.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "consumerd/log/log.hpp"
#include "consumerd/rings/ring_copy.hpp"
#include "consumerd/rings/watched_stream.hpp"
#include "consumerd/rules/record_pass.hpp"
#include "consumerd/triggers/trigger_queue.hpp"
#include "trace-format/codec/ring_record_view.hpp"
#include "trace-format/codec/site_table.hpp"
#include "trace-format/condition/contextual_condition.hpp"
#include "trace-format/condition/site_message.hpp"
#include "trace-format/reader/trace_event.hpp"
#include "trace-format/text/text_sink.hpp"

namespace ringside::consumer {

// A statement is checked once, when it becomes known. As long as no record of a known statement can
// match a rule, no record is checked; afterwards, a record of another statement costs reading its
// length. The table and the triggers must outlive the watch.
class TriggerWatch {
 public:
  // Null if none of the triggers' rules concerns records of the service.
  static std::unique_ptr<TriggerWatch> of_service(TriggerQueue& triggers, TriggerSource source,
                                                  const Log& log);

  // Takes in the entries that were added to the table since the last call. Returns whether records
  // must be checked.
  bool concerns(const trace::SiteTable& sites);

  // Checks the whole records at the front of `records`, all of one thread. Returns their length in
  // bytes; `*sound` becomes false if the bytes after them are not a record. Conditions use the
  // values that `pass` (null: none) hides, but messages about the record do not show them.
  // `stream`: that of the first record, afterwards that of the next one.
  std::size_t look(const trace::SiteTable& sites, std::span<const std::byte> records,
                   const RingOwner& owner, RecordPass* pass, WatchedStream& stream, bool* sound);

 private:
  struct Candidate {
    std::size_t rule;                                     // index of the rule
    std::optional<trace::ContextualCondition> condition;  // none: every record
  };
  struct SiteWatch {
    std::vector<Candidate> candidates;
    trace::SiteMessage message;
    bool needs_message = false;  // for the condition
  };

  TriggerWatch(TriggerQueue& triggers, TriggerSource source, const Log& log);
  void consider(const trace::Site& site);
  void check(const trace::SiteTable& sites, const trace::RingRecordView& record, SiteWatch& watch,
             const RingOwner& owner, RecordPass* pass, WatchedStream& stream);
  // Into the members for the record that is being checked.
  bool decode(const trace::RingRecordView& record, const SiteWatch& watch, const RingOwner& owner,
              std::uint32_t processor);
  void log_misfit(const TriggerRule& rule, const trace::Site& site,
                  const std::string& misfit) const;
  std::string shown_message(const trace::SiteTable& sites, const trace::RingRecordView& record,
                            const SiteWatch& watch, RecordPass* pass);

  TriggerQueue& triggers_;
  const TriggerRules rules_;
  const TriggerSource source_;
  const Log& log_;
  std::size_t considered_ = 0;  // sites already checked, in the order of definition
  std::vector<std::unique_ptr<SiteWatch>> watches_;  // by site id; null: none
  std::set<std::string> context_fields_;             // of the conditions: those that contexts have
  bool asks_for_tasks_ = false;  // a condition names the substream, which may be a task's number
  bool any_ = false;
  // For the record that is being checked.
  trace::SegmentInfo segment_;
  trace::StreamInfo stream_;
  trace::Event event_;
  std::vector<trace::Value> values_;
  trace::TextSink text_;
  std::vector<std::byte> redacted_;
};

}  // namespace ringside::consumer
