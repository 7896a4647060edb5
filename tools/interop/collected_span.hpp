#pragma once
// What was collected, in the terms of a trace whose ticks are nanoseconds of Unix time.

#include <cstdint>
#include <functional>
#include <vector>

#include "trace-format/blocks/collection_block.hpp"
#include "trace-format/codec/site_table.hpp"
#include "trace-format/reader/collection_history.hpp"

namespace ringside::tool {

struct CollectedInUnixTime {
  trace::CollectionState state;
  std::vector<trace::RuleEffect> effects;
};

// `number_of` gives a statement its number in the other trace, 0: it has none, and what is stated
// about it is left out, as about statements that `segment` does not describe.
CollectedInUnixTime in_unix_time(const trace::CollectedSegment& segment,
                                 const trace::CollectedSpan& span,
                                 const std::function<std::uint32_t(const trace::Site&)>& number_of);

// Whether the span only repeats settings of a foreign trace, which its records have too.
bool is_of_foreign_trace(const trace::CollectedSpan& span);

}  // namespace ringside::tool
