#pragma once
// Arguments as JSON values.

#include "trace-format/text/text_sink.hpp"
#include "trace-format/text/value.hpp"

namespace ringside::trace {

// Integers of any width with all their digits; floating-point numbers so that they read back equal,
// but "NaN", "Infinity", "-Infinity" and an f80 beyond the range of a double as strings; booleans;
// characters and texts as strings; pointers as "0x..."; bytes as base64 (RFC 4648); enumerations by
// name, or as a number if the value has no name; arrays. null for a value that is invalid for its
// type.
void append_json_value(TextSink& out, const Value& value);

}  // namespace ringside::trace
