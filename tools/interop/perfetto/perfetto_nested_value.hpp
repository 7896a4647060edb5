#pragma once
// Dictionaries and arrays as old producers wrote them into Perfetto traces.

#include <string_view>

#include "trace-format/text_sink.hpp"

namespace ringside::tool::perfetto {

// Appends a NestedValue of a DebugAnnotation as JSON; what is nested deeper than 32 times is null.
// False if it is not sound.
bool append_nested_value(trace::TextSink& out, std::string_view message);

}  // namespace ringside::tool::perfetto
