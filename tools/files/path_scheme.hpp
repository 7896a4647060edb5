#pragma once
// Tells addresses such as "http://HOST" from the names of files.

#include <cstddef>
#include <string>
#include <string_view>

namespace ringside::tool {

// "http" of "http://HOST"; empty if `text` does not begin with a scheme of RFC 3986 and "://".
constexpr std::string_view scheme_of(std::string_view text) {
  constexpr auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  constexpr auto is_further = [](char c) {
    return (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
  };
  std::size_t at = 0;
  while (at < text.size() && (is_letter(text[at]) || (at != 0 && is_further(text[at])))) ++at;
  return at != 0 && text.substr(at).starts_with("://") ? text.substr(0, at) : std::string_view();
}

// For an address where only files can be used, or with an unknown scheme; `remedy` says what to
// use.
inline std::string unsupported_scheme(std::string_view text, std::string_view remedy) {
  return std::string(text) + ": the scheme '" + std::string(scheme_of(text)) +
         "://' is not supported here; use " + std::string(remedy) + ", or ./" + std::string(text) +
         " for a file of that name";
}

}  // namespace ringside::tool
