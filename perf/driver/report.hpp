#pragma once
// Results for people.

#include <string>

#include "perf/driver/result.hpp"

namespace ringside::perf {

// A table for each row, a line for each result; and what was not measured, and why.
std::string as_tables(const Results& results);

}  // namespace ringside::perf
