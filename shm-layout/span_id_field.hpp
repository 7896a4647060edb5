#pragma once
// The field by which the two records of an open span belong together.

#include <string_view>

namespace ringside::shm {

// A field of type u64 of a statement of kind kSpan. A record of such a statement without a duration
// is the beginning of a span; a record with a duration and the same value, of the same process, is
// that whole span.
inline constexpr std::string_view kSpanIdField = "ringside.span";

}  // namespace ringside::shm
