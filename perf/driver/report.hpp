#pragma once
// Prints results as tables.

#include <string>

#include "perf/driver/result.hpp"

namespace ringside::perf {

// One table per row, one line per result, followed by what was not measured and the reasons.
std::string as_tables(const Results& results);

}  // namespace ringside::perf
