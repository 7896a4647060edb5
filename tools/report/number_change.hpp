#pragma once
// Whether a number of a statement is distributed in another way than in another trace.

#include <array>
#include <optional>

#include "tools/report/heat_part.hpp"

namespace ringside::tool {

struct NumberChange {
  // kConstant: one value in each trace, which is one observation of a run and no sample. kDrifting:
  // the values of both traces depend on the time, such as counters. kFew: too few values.
  enum class Verdict : std::uint8_t { kCompared, kConstant, kDrifting, kFew };
  struct Result {
    double probability = 1;     // of such a difference if nothing changed
    double distance = 0;        // of the shares of values, where they differ most
    double least_distance = 0;  // that is worth a report
    double effect = 0;          // log2 of the ratio of quantiles
  };

  Verdict verdict = Verdict::kFew;
  std::array<double, 3> before{};  // p50, p90, p99
  std::array<double, 3> after{};
  Result distribution;
  std::optional<Result> tail;  // the share of values beyond p99 of both; empty: too few are there
};

// Values of a batch of time are not independent: the sizes of the samples are those of independent
// values with the same variance between batches.
NumberChange number_change(HeatField& before, const TimeGrid& before_grid, HeatField& after,
                           const TimeGrid& after_grid);

}  // namespace ringside::tool
