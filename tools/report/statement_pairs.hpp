#pragma once
// Which statement of one trace is which of another.

#include <vector>

#include "tools/query/trace_stats.hpp"

namespace ringside::tool {

struct StatementPair {
  const SiteStats* before = nullptr;  // null: it is in the other trace only
  const SiteStats* after = nullptr;

  const SiteStats& any() const { return after != nullptr ? *after : *before; }
};

// By service, file, level and text. Lines change with each edit of a file: of statements that are
// equal otherwise, the first is the first of the other trace, and so on.
std::vector<StatementPair> statement_pairs(const TraceStats& before, const TraceStats& after);

}  // namespace ringside::tool
