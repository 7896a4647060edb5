#pragma once
// Cuts a record that exceeds the largest record size, so that it remains one record.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "trace-format/codec/site_plan.hpp"

namespace ringside::tool {

// Returns `values` in a ring's encoding, at most `most_bytes`: texts are cut, arrays end before the
// first element that does not fit. Numbers remain. `values` must match the plan.
std::string cut_values(const trace::SitePlan& plan, std::string_view values,
                       std::size_t most_bytes);

// How many of the whole texts, each a u32 length and its bytes, fit in `most_bytes`; `*bytes` is
// their size.
std::uint32_t texts_that_fit(std::string_view texts, std::uint32_t count, std::size_t most_bytes,
                             std::size_t* bytes);

}  // namespace ringside::tool
