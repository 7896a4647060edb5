#pragma once
// Texts as JSON strings (RFC 8259), whatever bytes they are.

#include <cstddef>
#include <string>
#include <string_view>

#include "trace-format/text_sink.hpp"

namespace ringside::tool {

// Appends what stands between the quotes: control characters (C0, DEL, C1), quotes and backslashes
// escaped, and U+FFFD for what is not well-formed UTF-8 (utf8_unsound_bytes).
void append_json_text(trace::TextSink& out, std::string_view text);

// Makes that of what `out` holds from `begin` on.
void make_json_text(trace::TextSink& out, std::size_t begin);

std::string json_text(std::string_view text);         // without quotes
std::string quoted_json_text(std::string_view text);  // with them

}  // namespace ringside::tool
