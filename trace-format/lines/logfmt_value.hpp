#pragma once
// The values of name=value pairs.

#include <cstddef>

#include "trace-format/text/text_sink.hpp"

namespace ringside::trace {

// Makes what `out` holds after `begin` a JSON string, if it is empty, or has blanks, quotes or
// characters other than printable ASCII.
void make_logfmt_value(TextSink& out, std::size_t begin);

}  // namespace ringside::trace
