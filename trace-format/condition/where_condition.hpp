#pragma once
// A condition on records, applied to the records of one statement.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace-format/condition/where_expression.hpp"
#include "trace-format/condition/where_value.hpp"
#include "trace-format/trace_event.hpp"

namespace ringside::trace {

// Refers to the expression and the site.
class WhereCondition {
 public:
  // Empty if no record of the site can meet the condition: it lacks a field that is mentioned,
  // its fields' types do not fit (then `*why` says so, otherwise it stays as it is), or what is
  // the same for all its records decides.
  static std::optional<WhereCondition> of_site(const WhereExpression& expression, const Site& site,
                                               std::string* why);

  // What is wrong with it whatever the fields are; empty if nothing is.
  static std::string fault(const WhereExpression& expression);

  // Places of the site's fields that it mentions.
  const std::vector<std::size_t>& fields() const { return fields_; }

  // `message` counts if the expression uses it.
  bool matches(const Event& event, std::string_view message) const;

 private:
  struct Facts {
    const Event* event = nullptr;  // null: only the site is known
    std::string_view message;
  };

  WhereCondition(const WhereExpression& expression, const Site* site)
      : expression_(&expression), site_(site) {}

  WhereType type_of(const WhereNode& node) const;
  WhereType type_of_name(const WhereNode& node) const;
  WhereValue value_of(const WhereNode& node, const Facts& facts) const;
  WhereValue value_of_name(const WhereNode& node, const Facts& facts) const;
  WhereValue logic(const WhereNode& node, const Facts& facts) const;
  WhereValue arithmetic(const WhereNode& node, const Facts& facts) const;
  WhereValue member(const WhereNode& node, const Facts& facts) const;

  const WhereExpression* expression_;
  const Site* site_;                 // null: of fault(), fields fit everything
  std::vector<std::size_t> fields_;  // by slot
};

}  // namespace ringside::trace
