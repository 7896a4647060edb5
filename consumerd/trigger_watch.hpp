#pragma once
// Looks for records that set triggers off: of one service, in private copies of its rings.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "consumerd/log.hpp"
#include "consumerd/record_pass.hpp"
#include "consumerd/ring_copy.hpp"
#include "consumerd/trigger_desk.hpp"
#include "trace-format/condition/site_message.hpp"
#include "trace-format/condition/where_condition.hpp"
#include "trace-format/ring_record_view.hpp"
#include "trace-format/site_table.hpp"
#include "trace-format/text_sink.hpp"
#include "trace-format/trace_event.hpp"

namespace ringside::consumer {

// A statement is looked at once, when it becomes known. As long as no rule can be met by a record
// of a known one, no record is looked at; a record of another statement costs the look at its
// length. The table and the desk outlive it.
class TriggerWatch {
 public:
  // Null if none of the desk's rules is about records of the service.
  static std::unique_ptr<TriggerWatch> of_service(TriggerDesk& desk, TriggerSource source,
                                                  const Log& log);

  // Takes in what the table has more than at the last call. Whether records are to be looked at.
  bool concerns(const trace::SiteTable& sites);

  // Looks at the whole records that `records` begin with, of one thread. How many bytes these have;
  // `*sound` becomes false if what follows is no record. Values that `pass` (null: none) hides
  // count for conditions, and are hidden in what is said of the record.
  std::size_t look(const trace::SiteTable& sites, std::span<const std::byte> records,
                   const RingOwner& owner, RecordPass* pass, bool* sound);

 private:
  struct Candidate {
    std::size_t rule;                                // by its place
    std::optional<trace::WhereCondition> condition;  // none: every record
  };
  struct SiteWatch {
    std::vector<Candidate> candidates;
    trace::SiteMessage message;
    bool needs_message = false;  // for a condition
  };

  TriggerWatch(TriggerDesk& desk, TriggerSource source, const Log& log);
  void consider(const trace::Site& site);
  void look_at(const trace::SiteTable& sites, const trace::RingRecordView& record,
               const SiteWatch& watch, const RingOwner& owner, RecordPass* pass);
  std::string shown_message(const trace::SiteTable& sites, const trace::RingRecordView& record,
                            const SiteWatch& watch, RecordPass* pass);

  TriggerDesk& desk_;
  const TriggerRules rules_;
  const TriggerSource source_;
  const Log& log_;
  std::size_t considered_ = 0;                       // sites, in the order of definition
  std::vector<std::unique_ptr<SiteWatch>> watches_;  // by site id; null: none
  bool any_ = false;
  // Of the record that is looked at.
  trace::SegmentInfo segment_;
  trace::StreamInfo stream_;
  trace::Event event_;
  std::vector<trace::Value> values_;
  trace::TextSink text_;
  std::vector<std::byte> redacted_;
};

}  // namespace ringside::consumer
