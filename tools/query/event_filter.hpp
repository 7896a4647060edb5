#pragma once
// Selects events.

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tools/query/filter_options.hpp"
#include "trace-format/condition/regular_expression.hpp"
#include "trace-format/condition/site_message.hpp"
#include "trace-format/condition/where_condition.hpp"
#include "trace-format/query/scope.hpp"
#include "trace-format/reader/read_options.hpp"
#include "trace-format/reader/trace_event.hpp"
#include "trace-format/text/message_literal.hpp"

namespace ringside::tool {

// Immutable except for its notes: any number of threads may use it. The reader decides what depends
// only on site or stream, by read_options() or scope(), which refer to the filter; RecordFilter
// decides what depends on each record.
class EventFilter {
 public:
  struct SiteDecision {
    std::optional<trace::SiteMessage> message;  // set if its text is needed
    std::optional<trace::WhereCondition> where;
    std::optional<trace::MessageLiteral> literal;  // set if it decides --grep for each record
    bool grep_decided = true;  // --grep is not used, or all records have the same message
    bool wanted = true;        // false: no record of the site is selected
    // Selected are only records with a text that contains the literal of --grep.
    bool needs_text = false;
  };

  // Relative times count from `now_ns`. Null with `*why` if an option is invalid.
  static std::unique_ptr<EventFilter> make(const FilterOptions& options, std::uint64_t now_ns,
                                           bool utc, std::string* why);

  trace::ReadOptions read_options() const;
  trace::query::Scope scope() const;

  // Whether RecordFilter decides anything beyond read_options().
  bool looks_at_records() const { return where_ || grep_; }
  // Whether read_options() decide everything.
  bool is_decided_by_reader() const { return !looks_at_records() && options_.services.empty(); }
  bool selects_all() const { return options_ == FilterOptions{}; }
  // With a `context`: for the site's records in a context of this statement.
  SiteDecision decide(const trace::Site& site, const trace::Site* context = nullptr) const;
  bool grep_finds(std::string_view message) const { return grep_->matches(message); }

  bool where_uses_message() const { return where_ && where_->uses_message; }

  bool wants_service(const trace::SegmentInfo& segment) const;

  // The fields that --where mentions.
  std::vector<std::string> where_fields() const;
  // The properties that --where mentions without @.
  std::vector<std::string> where_properties() const;

  // Sites whose field types do not match --where, one line each.
  std::vector<std::string> notes() const;

 private:
  EventFilter() = default;
  bool wants_site(const trace::Site& site) const;
  bool wants_stream(const trace::StreamInfo& stream, const trace::SegmentInfo& segment) const;
  void decide_literal(const trace::Site& site, SiteDecision& decision) const;
  std::optional<trace::WhereCondition> condition_of(const trace::Site& site,
                                                    const trace::Site* context) const;
  void note_context(const trace::Site& context) const;
  bool may_be_decided_by_context(const trace::Site& site) const;

  FilterOptions options_;
  trace::ReadOptions times_;
  shm::Level least_level_ = shm::Level::kNone;
  std::optional<trace::RegularExpression> grep_;
  std::optional<trace::WhereExpression> where_;
  mutable std::mutex mutex_;
  mutable std::set<std::string> notes_;
  mutable std::set<std::string> context_fields_;  // names of fields of the traces' contexts
};

// Whether one of the globs is the thread's id or matches its name.
bool any_thread_glob_fits(const std::vector<std::string>& globs, const trace::StreamInfo& stream);

}  // namespace ringside::tool
