#pragma once
// POSIX extended regular expressions over any bytes.

#include <memory>
#include <regex.h>
#include <string>
#include <string_view>

namespace ringside::tool {

// Matches in memory of its own, not on the stack: a message may be long. Any number of threads may
// use one. A copy shares the expression.
class RegularExpression {
 public:
  // False with `*why` if it is not sound.
  bool parse(const std::string& expression, std::string* why);

  // Whether some part of `text` matches. Only after a parse() that succeeded.
  bool matches(std::string_view text) const;

 private:
  std::shared_ptr<const regex_t> compiled_;
};

}  // namespace ringside::tool
