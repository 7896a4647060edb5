#include "tools/regular_expression.hpp"

#include <array>

#include <fmt/format.h>

namespace ringside::tool {

bool RegularExpression::parse(const std::string& expression, std::string* why) {
  const auto release = [](regex_t* compiled) {
    regfree(compiled);
    delete compiled;
  };
  auto fresh = std::make_unique<regex_t>();
  const int error = regcomp(fresh.get(), expression.c_str(), REG_EXTENDED);
  if (error != 0) {
    std::array<char, 256> text{};
    regerror(error, fresh.get(), text.data(), text.size());
    *why = fmt::format(
        "'{}' is no regular expression: {}; they are POSIX extended ones, in which a backslash "
        "takes the meaning of . * + ? ( ) [ {{ | ^ $ away",
        expression, text.data());
    return false;
  }
  compiled_ = std::shared_ptr<const regex_t>(fresh.release(), [release](const regex_t* compiled) {
    release(const_cast<regex_t*>(compiled));
  });
  return true;
}

bool RegularExpression::matches(std::string_view text) const {
  regmatch_t range{};
  range.rm_so = 0;
  range.rm_eo = static_cast<regoff_t>(text.size());
  const char* const begin = text.empty() ? "" : text.data();
  return regexec(compiled_.get(), begin, 1, &range, REG_STARTEND) == 0;
}

}  // namespace ringside::tool
