#include "trace-format/condition/contextual_condition.hpp"

#include <algorithm>

#include "trace-format/condition/field_name.hpp"

namespace ringside::trace {

ContextualCondition::ContextualCondition(const WhereExpression& expression, const Site& site,
                                         std::string* why)
    : expression_(&expression), site_(&site) {
  for (const std::string& name : expression.field_names) {
    if (!find_field(site, name)) lacking_.push_back(name);
  }
  plain_ = WhereCondition::of_site(expression, site, why);
}

bool ContextualCondition::can_match(const std::set<std::string>& in_contexts) const {
  if (lacking_.empty()) return plain_.has_value();
  return std::all_of(lacking_.begin(), lacking_.end(),
                     [&](const std::string& name) { return in_contexts.contains(name); });
}

const WhereCondition* ContextualCondition::in_context(const Site& context, std::string* why) {
  auto found = std::find_if(by_context_.begin(), by_context_.end(),
                            [&](const auto& known) { return known.first == context.id; });
  if (found == by_context_.end()) {
    if (by_context_.size() == kMostContexts) by_context_.clear();
    found = by_context_.insert(
        by_context_.end(),
        {context.id, WhereCondition::of_site(*expression_, *site_, why, &context)});
  }
  return found->second ? &*found->second : nullptr;
}

void add_named_fields(const WhereExpression& expression, const Site& context,
                      std::set<std::string>& names) {
  for (const std::string& name : expression.field_names) {
    if (find_field(context, name)) names.insert(name);
  }
}

}  // namespace ringside::trace
