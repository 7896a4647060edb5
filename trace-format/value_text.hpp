// A value as text where no format says how: the fields behind a fixed text, dumps.
#pragma once

#include "trace-format/text_sink.hpp"
#include "trace-format/value.hpp"

namespace ringside::trace {

// true, false; integers in decimal; floating numbers in the shortest form that reads back equal;
// pointers as 0x...; enumerations by name, or as a number; bytes in hexadecimal; [1, 2] for arrays.
// Strings stand as they are, or in double quotes with C escapes when a blank, a quote, '=', a
// control character or emptiness would make ` name=value` ambiguous. Any value is safe to pass:
// what does not fit its own type prints as <?>.
void write_value(TextSink& sink, const Value& value);

}  // namespace ringside::trace
