#pragma once
// Questions about spans with two records: the second one is the span.

#include <vector>

#include "trace-format/query/scope.hpp"
#include "trace-format/query/site_check.hpp"

namespace ringside::tool {

// If one of the sites has spans with two records, `scope` excludes the records of their beginnings:
// so each span counts once.
void leave_out_span_begins(const std::vector<trace::query::MatchedSite>& sites,
                           trace::query::Scope& scope);

}  // namespace ringside::tool
