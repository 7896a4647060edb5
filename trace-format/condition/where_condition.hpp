#pragma once
// A condition on records, applied to the records of one statement.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace-format/condition/where_expression.hpp"
#include "trace-format/condition/where_value.hpp"
#include "trace-format/reader/record_property.hpp"
#include "trace-format/reader/trace_event.hpp"

namespace ringside::trace {

// Refers to the expression and the site.
class WhereCondition {
 public:
  // Empty if no record of the site can match: the site lacks a field, the types of its fields are
  // wrong (`*why` then has the reason; otherwise it is unchanged), or the values common to all its
  // records decide.
  // With a `context`, of its statement: for records in such a context, which has the fields that
  // the site lacks.
  static std::optional<WhereCondition> of_site(const WhereExpression& expression, const Site& site,
                                               std::string* why, const Site* context = nullptr);

  // The error in the expression that does not depend on fields; empty if there is none.
  static std::string fault(const WhereExpression& expression);

  // Indexes of the site's fields that the condition uses, those of its properties included.
  const std::vector<std::size_t>& fields() const { return fields_; }

  // `message` is used only if the expression uses it.
  bool matches(const Event& event, std::string_view message) const;

 private:
  // The texts of activities.
  struct Digits {
    std::array<char, kActivityDigits> activity;
    std::array<char, kActivityDigits> related;
  };
  struct Facts {
    const Event* event = nullptr;  // null: only the site is known
    std::string_view message;
    Digits* digits = nullptr;
  };

  WhereCondition(const WhereExpression& expression, const Site* site)
      : expression_(&expression), site_(site) {}

  WhereType type_of(const WhereNode& node) const;
  WhereType type_of_name(const WhereNode& node) const;
  WhereValue value_of(const WhereNode& node, const Facts& facts) const;
  WhereValue value_of_name(const WhereNode& node, const Facts& facts) const;
  WhereValue value_of_property(Property property, const Facts& facts) const;
  WhereValue logic(const WhereNode& node, const Facts& facts) const;
  WhereValue arithmetic(const WhereNode& node, const Facts& facts) const;
  WhereValue member(const WhereNode& node, const Facts& facts) const;

  const WhereExpression* expression_;
  const Site* site_;               // null: of fault(), any field types are accepted
  const Site* context_ = nullptr;  // null: none
  struct Place {
    std::size_t field = 0;
    bool is_in_context = false;
  };
  const Field& field_at(Place place) const {
    return (place.is_in_context ? context_ : site_)->fields[place.field];
  }

  std::vector<Place> places_;        // by slot
  std::vector<std::size_t> fields_;  // those of the site; and that of the processor, if it is used
  std::optional<std::size_t> processor_;  // its field
};

}  // namespace ringside::trace
