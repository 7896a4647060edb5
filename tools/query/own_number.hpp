#pragma once
// What statements are evaluated by if a question names no number.

#include <string>
#include <vector>

#include "trace-format/query/site_check.hpp"

namespace ringside::tool {

// As the --field of a question: the sample of histograms, the duration of spans. Empty if the
// statements are not all histograms, or all spans.
std::string own_number(const std::vector<trace::query::MatchedSite>& sites);

}  // namespace ringside::tool
