// The time from a record of one site to the next record of another that agrees with it in some
// fields, such as from "request started" to "request finished" by the request's id.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "trace-format/blocks/read_report.hpp"
#include "trace-format/query/query_error.hpp"
#include "trace-format/query/scope.hpp"
#include "trace-format/query/site_check.hpp"
#include "trace-format/query/site_selector.hpp"

namespace ringside::trace::query {

struct GapCounts {
  std::uint64_t matched = 0;
  // Beginnings without an end: those that waited when the trace ended, and the two below.
  std::uint64_t unmatched_begins = 0;
  std::uint64_t restarted = 0;  // another beginning with the same key came first
  std::uint64_t evicted = 0;    // the oldest, evicted when more than Gaps::kMostOpen waited
  std::uint64_t unmatched_ends = 0;
};

// Beginnings that wait for their ends. Memory is bounded: beyond `most` the oldest is evicted.
class OpenBegins {
 public:
  explicit OpenBegins(std::size_t most) : most_(most) {}

  void begin(const std::string& key, std::uint64_t unix_ns, GapCounts& counts);
  // The time when it began; empty if no beginning with this key waits.
  std::optional<std::uint64_t> end(const std::string& key, GapCounts& counts);
  std::size_t size() const { return by_key_.size(); }

 private:
  struct Begin {
    std::string key;
    std::uint64_t unix_ns = 0;
  };
  std::size_t most_;
  std::list<Begin> by_age_;
  std::unordered_map<std::string_view, std::list<Begin>::iterator> by_key_;  // keys of by_age_
};

struct GapQuery {
  static constexpr std::size_t kMostOpen = 1 << 20;

  SiteSelector from = SiteSelector::all();
  // May select the sites of `from` too: then gaps go from each record to the next with the same
  // key.
  SiteSelector to = SiteSelector::all();
  std::vector<std::string> by;  // fields of the sites of `from`; #3 for the third
  // the same number of fields of the sites of `to`; empty: the same names
  std::vector<std::string> to_by;
  std::vector<std::string> to_fields;    // more fields of `to`, for the visit
  std::vector<std::string> to_optional;  // likewise, if its sites have them
  bool across_processes = false;         // otherwise a gap begins and ends in one process
  Scope scope;                           // both records of a gap are in it
  std::size_t most_open = kMostOpen;
  unsigned threads = 1;
};

struct Gap {
  std::uint64_t ns = 0;
  // The record that ends the gap. Lives during the visit; value() has the fields of `to_by`, then
  // those of `to_fields` and `to_optional`.
  const RecordInfo* end = nullptr;
};

struct GapResult {
  std::optional<ReadError> unreadable;
  std::optional<QueryError> error;
  std::vector<MatchedSite> from;
  std::vector<MatchedSite> to;
  GapCounts counts;
  ReadReport report;

  bool ok() const { return !unreadable && !error; }
  std::string text() const;
};

// Visits the gaps, ordered by the time of their ends. Fields are checked before the first record.
GapResult visit_gaps(std::span<const std::string> paths, const GapQuery& query,
                     const std::function<void(const Gap&)>& visit);

}  // namespace ringside::trace::query
