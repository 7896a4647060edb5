#include "tools/query/statement_collection.hpp"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tools/query/collected_report.hpp"

namespace ringside::tool {

void StatementCollection::add(const trace::CollectedSegment& segment, const trace::Site& site) {
  for (std::size_t i = 0; i < segment.spans.size(); ++i) {
    const trace::CollectedSpan& span = segment.spans[i];
    states_.insert(span.state_of(site, span.until_ns));
    // A time limit within the span. Whether the last span reached its own is unknown.
    if (i + 1 < segment.spans.size()) {
      const std::uint64_t end_ns = segment.spans[i + 1].until_ns;
      states_.insert(span.state_of(site, std::max(end_ns, span.until_ns + 1) - 1));
    }
    const auto effect = span.effects.find(site.id);
    if (effect == span.effects.end()) continue;
    is_sampled_ = is_sampled_ || effect->second.sample_rule != 0;
    for (const std::uint16_t field : effect->second.hidden_fields) {
      hidden_.insert(field < site.fields.size() ? site.fields[field].name
                                                : fmt::format("#{}", field + 1));
    }
  }
}

std::string StatementCollection::state() const {
  if (states_.empty()) return "unknown";
  return states_.size() == 1 ? std::string(state_token(*states_.begin())) : "at times";
}

std::string StatementCollection::text() const {
  if (states_.empty()) return "-";
  std::string text = state();
  if (is_sampled_) text += ", sampled";
  if (!hidden_.empty()) text += fmt::format(", hides {}", fmt::join(hidden_, " "));
  return text;
}

}  // namespace ringside::tool
