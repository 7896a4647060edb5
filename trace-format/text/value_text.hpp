// A value as text without a format: the fields after a fixed text, dumps.
#pragma once

#include "trace-format/text/text_sink.hpp"
#include "trace-format/text/value.hpp"

namespace ringside::trace {

// true, false; integers in decimal; floating numbers in the shortest form that reads back equal;
// pointers as 0x...; enumerations by name, or as a number; bytes in hexadecimal; [1, 2] for arrays.
// Strings are unchanged, or in double quotes with C escapes when a blank, a quote, '=', a control
// character or an empty string would make ` name=value` ambiguous. Any value is safe to pass: one
// that does not match its own type prints as <?>.
void write_value(TextSink& sink, const Value& value);

}  // namespace ringside::trace
