#pragma once
// Which records of one service a session takes.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "consumerd/log/log.hpp"
#include "consumerd/rings/followed_context.hpp"
#include "consumerd/rings/ring_copy.hpp"
#include "consumerd/sessions/session_spec.hpp"
#include "trace-format/codec/ring_record_view.hpp"
#include "trace-format/codec/site_table.hpp"
#include "trace-format/condition/contextual_condition.hpp"
#include "trace-format/condition/site_message.hpp"
#include "trace-format/reader/trace_event.hpp"
#include "trace-format/text/text_sink.hpp"

namespace ringside::consumer {

// Where a record is: a condition may ask for any of it.
struct RecordPlace {
  const RingOwner& owner;
  std::uint32_t processor;  // its code
  FollowedContext& context;
};

// A statement is checked once, when it becomes known. `spec` and the table must outlive this.
class RecordChoice {
 public:
  // The service, for conditions on its name, pid and durations.
  RecordChoice(const SessionSpec& spec, const std::string& service, std::uint32_t pid,
               std::uint64_t tick_hz, const Log& log);

  // Takes in the entries that were added to the table since the last call.
  void follow(const trace::SiteTable& sites);

  // Whether the session wants records of the statement, for some values and contexts.
  bool wants_site(std::uint32_t site_id) const {
    if (!may_want(site_id)) return false;
    const auto& condition = sites_[site_id]->condition;
    return !condition || condition->can_match(context_fields_);
  }

  // Whether it wants this record, which is whole and has a site.
  bool wants(const trace::SiteTable& sites, const trace::RingRecordView& record,
             const RecordPlace& place);

 private:
  struct SiteChoice {
    std::optional<trace::ContextualCondition> condition;  // none: every record
    std::optional<trace::SiteMessage> message;            // if the condition uses it
  };
  void consider(const trace::Site& site);
  bool may_want(std::uint32_t site_id) const {
    return site_id < sites_.size() && sites_[site_id] != nullptr;
  }
  void log_misfit(const trace::Site& site, const std::string& misfit) const;

  const SessionSpec& spec_;
  const Log& log_;
  std::size_t considered_ = 0;  // sites already checked, in the order of definition
  std::vector<std::unique_ptr<SiteChoice>> sites_;  // by site id; null: not wanted
  std::set<std::string> context_fields_;            // of the condition: those that contexts have
  // For the record that is being checked.
  trace::SegmentInfo segment_;
  trace::StreamInfo stream_;
  trace::Event event_;
  std::vector<trace::Value> values_;
  trace::TextSink text_;
};

}  // namespace ringside::consumer
