#pragma once
// Whether a statement was collected, over all spans of time of a trace.

#include <set>
#include <string>

#include "trace-format/codec/site_table.hpp"
#include "trace-format/reader/collection_history.hpp"

namespace ringside::tool {

// Adds up over copies of a statement, processes and time.
class StatementCollection {
 public:
  // Takes in the statement `site` of `segment`. Without spans: unknown.
  void add(const trace::CollectedSegment& segment, const trace::Site& site);

  bool is_known() const { return !states_.empty(); }
  bool is_sampled() const { return is_sampled_; }
  const std::set<std::string>& hidden_fields() const { return hidden_; }

  // "on", "off", "counting"; "at times" if it was in more than one state; "unknown".
  std::string state() const;
  // For a table: the state, and what rules do; "-" if it is unknown.
  std::string text() const;

 private:
  std::set<trace::StatementState> states_;
  bool is_sampled_ = false;
  std::set<std::string> hidden_;  // names
};

}  // namespace ringside::tool
