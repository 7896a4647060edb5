#pragma once
// Texts of any bytes as JSON strings (RFC 8259).

#include <cstddef>
#include <string>
#include <string_view>

#include "trace-format/text/text_sink.hpp"

namespace ringside::trace {

// Appends the text between the quotes: escapes control characters (C0, DEL, C1), quotes and
// backslashes, and writes U+FFFD for bytes that are not well-formed UTF-8 (utf8_unsound_bytes).
void append_json_text(TextSink& out, std::string_view text);

// Converts what `out` holds after `begin` in the same way.
void make_json_text(TextSink& out, std::size_t begin);

std::string json_text(std::string_view text);         // without quotes
std::string quoted_json_text(std::string_view text);  // with quotes

}  // namespace ringside::trace
