#pragma once
// A condition on the records of one statement, in whatever contexts they are made.

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "trace-format/condition/where_condition.hpp"

namespace ringside::trace {

// Refers to the expression, the site and the sites of the contexts.
class ContextualCondition {
 public:
  // `*why` as with WhereCondition::of_site().
  ContextualCondition(const WhereExpression& expression, const Site& site, std::string* why);

  // Whether the site lacks fields, so that its records match at most in some contexts.
  bool uses_contexts() const { return !lacking_.empty(); }
  bool can_match_in_some() const { return uses_contexts() || plain_.has_value(); }
  // Whether some of its records can match, if contexts have the fields `in_contexts`.
  bool can_match(const std::set<std::string>& in_contexts) const;

  // The condition on the site's records in a context of this statement; null: none of them matches.
  // Valid until the next call. `*why` as with WhereCondition::of_site(), at the first call for a
  // context.
  const WhereCondition* in(const Site* context, std::string* why) {
    if (lacking_.empty() || context == nullptr) return plain_ ? &*plain_ : nullptr;
    return in_context(*context, why);
  }

 private:
  // A service can define more statements of contexts than a condition has to remember.
  static constexpr std::size_t kMostContexts = 64;
  const WhereCondition* in_context(const Site& context, std::string* why);

  const WhereExpression* expression_;
  const Site* site_;
  std::vector<std::string> lacking_;     // the fields that the site lacks
  std::optional<WhereCondition> plain_;  // without a context
  std::vector<std::pair<std::uint32_t, std::optional<WhereCondition>>> by_context_;  // by site id
};

// Adds the names of the expression's fields that the context has.
void add_named_fields(const WhereExpression& expression, const Site& context,
                      std::set<std::string>& names);

}  // namespace ringside::trace
