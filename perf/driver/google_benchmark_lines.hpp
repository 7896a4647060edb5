#pragma once
// What Google Benchmark programs print, as result lines.

#include <string>
#include <vector>

#include "perf/driver/result.hpp"

namespace ringside::perf {

// `output` of a program run with --benchmark_format=json and repetitions in random order.
// Benchmarks named encode/..., decode.../... and floor give the rows encoder and decoder, each
// repetition's rate as a ratio to that of the floor's repetition of the same number; aggregate/...
// gives aggregation, others the row text. False with `*why` if it is no such output or a benchmark
// reports an error.
bool read_google_benchmark(const std::string& output, std::vector<Result>& lines, std::string* why);

}  // namespace ringside::perf
