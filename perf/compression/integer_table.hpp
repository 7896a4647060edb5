#pragma once

namespace ringside::perf {

// Table 8.3 of the source: a million 64-bit integers whose lengths in bits are equally likely, in
// four ranges. Prints a JSON line for each algorithm and range.
void study_integers();

}  // namespace ringside::perf
