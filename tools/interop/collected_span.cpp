#include "tools/interop/collected_span.hpp"

#include <algorithm>
#include <utility>

namespace ringside::tool {

CollectedInUnixTime in_unix_time(
    const trace::CollectedSegment& segment, const trace::CollectedSpan& span,
    const std::function<std::uint32_t(const trace::Site&)>& number_of) {
  CollectedInUnixTime result;
  trace::CollectionState& state = result.state;
  state = span.state;
  state.since_tsc = std::min(span.since_ns, span.until_ns);
  state.until_tsc = span.until_ns;
  state.level_deadline_tsc = span.level_deadline_ns;
  for (std::size_t i = 0; i < state.changes.size(); ++i) state.changes[i].tsc = span.changes_ns[i];
  state.statements.clear();
  for (std::size_t i = 0; i < span.state.statements.size(); ++i) {
    trace::CollectedStatement statement = span.state.statements[i];
    const trace::Site* const site = segment.sites->find(statement.site_id);
    statement.site_id = site == nullptr ? 0 : number_of(*site);
    if (statement.site_id == 0) continue;
    statement.deadline_tsc = span.statement_deadlines_ns[i];
    state.statements.push_back(statement);
  }
  std::stable_sort(state.statements.begin(), state.statements.end(),
                   [](const auto& a, const auto& b) { return a.site_id < b.site_id; });
  for (const auto& [id, effect] : span.effects) {
    const trace::Site* const site = segment.sites->find(id);
    trace::RuleEffect moved = effect;
    moved.site_id = site == nullptr ? 0 : number_of(*site);
    if (moved.site_id != 0) result.effects.push_back(std::move(moved));
  }
  return result;
}

bool is_of_foreign_trace(const trace::CollectedSpan& span) {
  return span.state.level == 0 &&
         span.state.overflow_policy == trace::CollectionState::kUnknownPolicy;
}

}  // namespace ringside::tool
