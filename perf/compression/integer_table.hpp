#pragma once

namespace ringside::perf {

// Table 8.3 of the source: a million 64-bit integers in four ranges, with all bit lengths of a
// range equally likely. Prints a JSON line for each algorithm and range.
void study_integers();

}  // namespace ringside::perf
