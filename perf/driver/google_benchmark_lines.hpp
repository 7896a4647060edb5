#pragma once
// Converts the output of Google Benchmark programs to result lines.

#include <string>
#include <vector>

#include "perf/driver/result.hpp"

namespace ringside::perf {

// `output` is that of a program run with --benchmark_format=json and repetitions in random order.
// Benchmarks named encode/..., decode.../... and floor give the rows encoder and decoder; each
// repetition's rate is a ratio to the rate of the floor's repetition with the same number.
// aggregate/... gives the row aggregation, all others the row text. Returns false and sets `*why`
// if the output is not that of Google Benchmark or a benchmark reports an error.
bool read_google_benchmark(const std::string& output, std::vector<Result>& lines, std::string* why);

}  // namespace ringside::perf
