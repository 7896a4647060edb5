#pragma once
// What the parts of a condition on records are worth.

#include <cstdint>
#include <string>
#include <string_view>

#include "trace-format/condition/where_expression.hpp"
#include "trace-format/condition/where_number.hpp"
#include "trace-format/value.hpp"

namespace ringside::trace {

enum class WhereType : std::uint8_t {
  kBoolean,
  kNumber,
  kText,
  kNumberAndText,  // enumerations, characters, threads: what the other side is, counts
  kOther,          // arrays
};

std::string_view type_name(WhereType type);
WhereType type_of_field(shm::FieldType type, bool is_array);

struct WhereValue {
  bool known = false;  // not a record's value while only its site is at hand, nor x / 0
  WhereType type = WhereType::kOther;
  bool boolean = false;
  WhereNumber number;
  std::string_view text;  // as valid as what it was taken from
  char character = 0;     // what `text` would show of a character

  static WhereValue of_boolean(bool boolean);
  static WhereValue of_number(WhereNumber number);
  static WhereValue of_text(std::string_view text);
  static WhereValue of_both(WhereNumber number, std::string_view text);
  static WhereValue of_field(const Value& value);

  bool has_text() const { return type == WhereType::kText || type == WhereType::kNumberAndText; }
  std::string_view shown_text() const {
    return is_character ? std::string_view(&character, 1) : text;
  }
  bool is_character = false;
};

// `a op b`; unknown if one of them is, or if they cannot be compared.
WhereValue compare_values(WhereOp op, const WhereValue& a, const WhereValue& b);

}  // namespace ringside::trace
