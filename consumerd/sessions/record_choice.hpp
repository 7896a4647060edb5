#pragma once
// Which records of one service a session takes.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "consumerd/log/log.hpp"
#include "consumerd/rings/ring_copy.hpp"
#include "consumerd/sessions/session_spec.hpp"
#include "trace-format/codec/ring_record_view.hpp"
#include "trace-format/codec/site_table.hpp"
#include "trace-format/condition/site_message.hpp"
#include "trace-format/condition/where_condition.hpp"
#include "trace-format/reader/trace_event.hpp"
#include "trace-format/text/text_sink.hpp"

namespace ringside::consumer {

// A statement is checked once, when it becomes known. `spec` and the table must outlive this.
class RecordChoice {
 public:
  // The service, for conditions on its name, pid and durations.
  RecordChoice(const SessionSpec& spec, const std::string& service, std::uint32_t pid,
               std::uint64_t tick_hz, const Log& log);

  // Takes in the entries that were added to the table since the last call.
  void follow(const trace::SiteTable& sites);

  // Whether the session wants records of the statement, whatever their values are.
  bool wants_site(std::uint32_t site_id) const {
    return site_id < sites_.size() && sites_[site_id] != nullptr;
  }

  // Whether it wants this record, which is whole and has a site.
  bool wants(const trace::RingRecordView& record, const RingOwner& owner);

 private:
  struct SiteChoice {
    std::optional<trace::WhereCondition> condition;  // none: every record
    std::optional<trace::SiteMessage> message;       // if the condition uses it
  };
  void consider(const trace::Site& site);

  const SessionSpec& spec_;
  const Log& log_;
  std::size_t considered_ = 0;  // sites already checked, in the order of definition
  std::vector<std::unique_ptr<SiteChoice>> sites_;  // by site id; null: not wanted
  // For the record that is being checked.
  trace::SegmentInfo segment_;
  trace::StreamInfo stream_;
  trace::Event event_;
  std::vector<trace::Value> values_;
  trace::TextSink text_;
};

}  // namespace ringside::consumer
