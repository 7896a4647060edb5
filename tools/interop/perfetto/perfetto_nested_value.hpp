#pragma once
// Dictionaries and arrays in Perfetto traces of old producers.

#include <string_view>

#include "trace-format/text/text_sink.hpp"

namespace ringside::tool::perfetto {

// Appends a NestedValue of a DebugAnnotation as JSON; values nested deeper than 32 levels become
// null. False if it is invalid.
bool append_nested_value(trace::TextSink& out, std::string_view message);

}  // namespace ringside::tool::perfetto
