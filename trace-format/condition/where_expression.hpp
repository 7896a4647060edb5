#pragma once
// Conditions on records, `qty > 100 && side == "B"`: their grammar.
//
//   or      := and { "||" and }                  and := not { "&&" not }
//   not     := "!" not | relation
//   relation:= sum [ ("==" | "!=" | "<" | "<=" | ">" | ">=") sum
//                  | ("=~" | "!~") "regex" | "in" "(" sum { "," sum } ")" ]
//   sum     := product { ("+" | "-") product }   product := unary { ("*" | "/" | "&") unary }
//   unary   := "-" unary | number | "text" | 'text' | true | false | name | @property | `field`
//            | "(" or ")"
//
// Names: msg and those of reader/record_property.hpp, also with @; otherwise a field of the
// statement. Between back quotes always a field, for names such as `items[0]`. TRACE to CRITICAL
// are the levels.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace-format/condition/regular_expression.hpp"
#include "trace-format/condition/where_number.hpp"
#include "trace-format/reader/record_property.hpp"

namespace ringside::trace {

enum class WhereOp : std::uint8_t {
  kNumber,
  kText,
  kBoolean,
  kField,  // `text` is its name
  kProperty,
  kMessage,
  kNot,
  kNegate,
  kAnd,
  kOr,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kBitAnd,  // of integers
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kMatches,  // `expression`
  kNotMatches,
  kIn,  // the first of `parts` is one of the others
};

struct WhereNode {
  WhereOp op = WhereOp::kBoolean;
  std::size_t at = 0;  // in the expression's text, from 0
  WhereNumber number;
  bool boolean = false;
  std::string text;
  RegularExpression expression;
  std::size_t slot = 0;  // for a field: index in field_names
  Property property{};
  std::vector<WhereNode> parts;
};

struct WhereExpression {
  WhereNode root;
  std::vector<std::string> field_names;  // without duplicates
  std::uint32_t properties = 0;          // the mentioned ones, see property_bit()
  std::vector<std::string> plain_names;  // of properties mentioned without @
  bool uses_message = false;
};

// Empty with `*why`: the position of the error in `text`, and the remedy.
std::optional<WhereExpression> parse_where(std::string_view text, std::string* why);

}  // namespace ringside::trace
