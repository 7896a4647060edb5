#pragma once
// What was collected over time, as text and as JSON.

#include <string>
#include <string_view>
#include <vector>

#include "trace-format/reader/collection_history.hpp"

namespace ringside::tool {

struct CollectedReportOptions {
  std::vector<std::string> services;  // globs; empty: all
  bool utc = false;
};

// "ringctl level debug (user ann, uid 1000, process 912)", for a person.
std::string change_text(const trace::CollectionChange& change);
// "tool", "service", "configuration", "trigger", "expired", "unknown".
std::string_view cause_token(trace::ChangeCause cause);

// "on", "off", "counting"; "sample", "redact", "filter", "option".
std::string_view state_token(trace::StatementState state);
std::string_view rule_token(trace::RuleKind kind);

// Whether the options choose the service.
bool is_chosen(const trace::CollectedSegment& segment, const CollectedReportOptions& options);

// Texts of the trace are made visible.
std::string collected_as_text(const trace::CollectionHistory& history,
                              const CollectedReportOptions& options);
// One object per line, for each span of each segment.
std::string collected_as_json(const trace::CollectionHistory& history,
                              const CollectedReportOptions& options);

// Whether the report has a segment of a chosen service.
bool has_service(const trace::CollectionHistory& history, const CollectedReportOptions& options);

}  // namespace ringside::tool
