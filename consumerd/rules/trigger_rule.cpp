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
  if (name.empty()) return refuse("the trigger has no name; set name");
  if (cause != Cause::kRecord && (!where.empty() || !statements.empty())) {
    return refuse("conditions on records require on = \"record\"");
  }
  condition.reset();
  if (!where.empty()) {
    auto parsed = trace::parse_where(where, why);
    if (!parsed) return false;
    std::string fault = trace::WhereCondition::fault(*parsed);
    if (!fault.empty()) return refuse(std::move(fault));
    for (const trace::Property unknown :
         {trace::Property::kUnixNs, trace::Property::kHost, trace::Property::kSequence}) {
      if ((parsed->properties & trace::property_bit(unknown)) == 0) continue;
      return refuse("a trigger cannot use " + std::string(trace::entry_of(unknown).name) +
                    ": it is not known yet when a record is checked; remove it from where");
    }
    condition = std::make_shared<const trace::WhereExpression>(std::move(*parsed));
  }
  if (!statements.prepare(why)) return false;
  if (losses_at_least == 0) return refuse("losses must be at least 1");
  if (pause.count() < 0 || pause > kLongestTime) return refuse("pause must be from 0 to one year");
  if (!snapshot && hook.empty() && !level) {
    return refuse("the trigger has no action; set snapshot, hook or level");
  }
  if (!hook.empty() && hook.front().empty()) return refuse("the hook's program is empty");
  if (level && (level_for.count() <= 0 || level_for > kLongestTime)) {
    return refuse("level requires level-for, from 1 ms to one year");
  }
  if (!level && (level_for.count() != 0 || !level_services.empty())) {
    return refuse("level-for and level-service require level");
  }
  return true;
}

bool TriggerRule::is_for(const std::string& service) const {
  return services.empty() || trace::any_service_glob_fits(services, service);
}

}  // namespace ringside::consumer
