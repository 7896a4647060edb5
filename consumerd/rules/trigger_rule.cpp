#include "consumerd/rules/trigger_rule.hpp"

#include <utility>

#include "trace-format/condition/glob.hpp"
#include "trace-format/condition/where_condition.hpp"

namespace ringside::consumer {
namespace {

constexpr std::chrono::milliseconds kLongestTime = std::chrono::hours(24 * 365);

}  // namespace

bool TriggerRule::prepare(std::string* why) {
  const auto refuse = [why](std::string what) {
    *why = std::move(what);
    return false;
  };
  if (name.empty()) return refuse("a trigger without a name; give it one");
  if (cause != Cause::kRecord && (!where.empty() || !statements.empty())) {
    return refuse("a condition on records goes with the cause \"record\" only");
  }
  condition.reset();
  if (!where.empty()) {
    auto parsed = trace::parse_where(where, why);
    if (!parsed) return false;
    std::string fault = trace::WhereCondition::fault(*parsed);
    if (!fault.empty()) return refuse(std::move(fault));
    condition = std::make_shared<const trace::WhereExpression>(std::move(*parsed));
  }
  if (!statements.prepare(why)) return false;
  if (losses_at_least == 0) return refuse("0 losses are none; write 1 or more");
  if (pause.count() < 0 || pause > kLongestTime) return refuse("a pause is from 0 to a year long");
  if (!snapshot && hook.empty() && !level) {
    return refuse("nothing is to be done; give it a snapshot, a hook or a level");
  }
  if (!hook.empty() && hook.front().empty()) return refuse("the hook's program has no name");
  if (level && (level_for.count() <= 0 || level_for > kLongestTime)) {
    return refuse("a level is for a time; say for how long, from 1 ms to a year");
  }
  if (!level && (level_for.count() != 0 || !level_services.empty())) {
    return refuse("there is no level that could be let in");
  }
  return true;
}

bool TriggerRule::is_for(const std::string& service) const {
  return services.empty() || trace::any_service_glob_fits(services, service);
}

}  // namespace ringside::consumer
