#pragma once
// The values of the parts of a condition on records.

#include <cstdint>
#include <string>
#include <string_view>

#include "trace-format/condition/where_expression.hpp"
#include "trace-format/condition/where_number.hpp"
#include "trace-format/text/value.hpp"

namespace ringside::trace {

enum class WhereType : std::uint8_t {
  kBoolean,
  kNumber,
  kText,
  kNumberAndText,  // enumerations, characters, threads: the other side decides which is used
  kOther,          // arrays
};

std::string_view type_name(WhereType type);
WhereType type_of_field(shm::FieldType type, bool is_array);

struct WhereValue {
  bool known = false;  // false for a record's value while only its site is known, and for x / 0
  WhereType type = WhereType::kOther;
  bool boolean = false;
  WhereNumber number;
  std::string_view text;  // valid as long as its source
  char character = 0;     // the text of a character for `text`

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

// `a op b`; unknown if one of them is unknown, or if they cannot be compared.
WhereValue compare_values(WhereOp op, const WhereValue& a, const WhereValue& b);

}  // namespace ringside::trace
