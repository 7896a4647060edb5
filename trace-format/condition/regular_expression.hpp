#pragma once
// Regular expressions in RE2's syntax. The text should be UTF-8, but any bytes are safe.

#include <memory>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace ringside::trace {

// Matches in time linear in the text, with heap memory and not on the stack: neither an expression
// nor a message can make it slow. Any number of threads may use one. A copy shares the expression.
class RegularExpression {
 public:
  // False with `*why` if the expression is invalid.
  bool parse(const std::string& expression, std::string* why);

  // Whether some part of `text` matches. Only after a parse() that succeeded.
  bool matches(std::string_view text) const;

  // If the expression matches just the texts that contain this one; else empty.
  const std::string& literal() const { return literal_; }

 private:
  std::shared_ptr<const re2::RE2> compiled_;
  std::string literal_;
};

}  // namespace ringside::trace
