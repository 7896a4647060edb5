#pragma once
// Which events are wanted.

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tools/filter_options.hpp"
#include "trace-format/condition/regular_expression.hpp"
#include "trace-format/condition/site_message.hpp"
#include "trace-format/condition/where_condition.hpp"
#include "trace-format/query/scope.hpp"
#include "trace-format/read_options.hpp"
#include "trace-format/trace_event.hpp"

namespace ringside::tool {

// Immutable but for its notes: any number of threads may use it. What can be decided by site or
// stream goes to the reader by read_options() or scope(), which refer to the filter; what only a
// look at each record tells is RecordFilter's.
class EventFilter {
 public:
  struct SiteDecision {
    std::optional<trace::SiteMessage> message;  // if its text is needed
    std::optional<trace::WhereCondition> where;
    bool grep_decided = true;  // there is none, or all records have the same message
    bool wanted = true;        // else no record of the site is
  };

  // `now_ns` is what relative times count from. Null with `*why` if an option is not sound.
  static std::unique_ptr<EventFilter> make(const FilterOptions& options, std::uint64_t now_ns,
                                           bool utc, std::string* why);

  trace::ReadOptions read_options() const;
  trace::query::Scope scope() const;

  // Whether RecordFilter says anything beyond what read_options() asks for.
  bool looks_at_records() const { return where_ || grep_; }
  SiteDecision decide(const trace::Site& site) const;
  bool grep_finds(std::string_view message) const { return grep_->matches(message); }

  // Sites whose fields' types do not fit --where, a line each.
  std::vector<std::string> notes() const;

 private:
  EventFilter() = default;
  bool wants_site(const trace::Site& site) const;
  bool wants_stream(const trace::StreamInfo& stream, const trace::SegmentInfo& segment) const;
  bool wants_service(const trace::SegmentInfo& segment) const;
  std::optional<trace::WhereCondition> condition_of(const trace::Site& site) const;

  FilterOptions options_;
  trace::ReadOptions times_;
  shm::Level least_level_ = shm::Level::kNone;
  std::optional<trace::RegularExpression> grep_;
  std::optional<trace::WhereExpression> where_;
  mutable std::mutex mutex_;
  mutable std::set<std::string> notes_;
};

}  // namespace ringside::tool
