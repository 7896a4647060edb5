#pragma once
// Texts for formats that accept only UTF-8.

#include <string>
#include <string_view>

#include "trace-format/lines/utf8.hpp"
#include "trace-format/lines/visible_text.hpp"

namespace ringside::tool {

inline bool is_valid_utf8(std::string_view text) {
  if (trace::is_printable_ascii(text)) return true;
  while (!text.empty()) {
    const std::size_t bytes = trace::utf8_sequence_bytes(text);
    if (bytes == 0) return false;
    text.remove_prefix(bytes);
  }
  return true;
}

// Replaces bytes that are not well-formed UTF-8 (utf8_unsound_bytes) by U+FFFD.
inline std::string valid_utf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  while (!text.empty()) {
    const std::size_t bytes = trace::utf8_sequence_bytes(text);
    valid += bytes == 0 ? std::string_view("\xEF\xBF\xBD") : text.substr(0, bytes);
    text.remove_prefix(bytes == 0 ? trace::utf8_unsound_bytes(text) : bytes);
  }
  return valid;
}

}  // namespace ringside::tool
