#pragma once
// The rows that every tracer has: floor, back_to_back, paced, cold.

#include "perf/harness/cold_calls.hpp"
#include "perf/harness/paced_calls.hpp"
#include "perf/harness/paired_bursts.hpp"
#include "perf/harness/result_line.hpp"
#include "perf/harness/run_options.hpp"
#include "perf/harness/spread.hpp"

namespace ringside::perf {

// The number of measurements of each kind; slow tracers reduce it.
struct RecordCostPlan {
  BurstPlan bursts;
  PacedPlan paced;
  ColdPlan cold;
};

inline RecordCostPlan scaled(RecordCostPlan plan, const RunOptions& options) {
  plan.bursts.pairs = options.scaled(plan.bursts.pairs * options.repeats);
  plan.paced.blocks = options.scaled(plan.paced.blocks);
  plan.paced.repeats = options.repeats_or_one();
  plan.cold.rounds = options.scaled(plan.cold.rounds);
  return plan;
}

template <Subject S, Case C>
void print_back_to_back(const BurstPlan& plan) {
  const BurstResult result = paired_bursts<S, C>(plan);
  const auto line = [] { return ResultLine("back_to_back", S::kName, name_of(C)); };
  line().print("ratio_to_floor", "x",
               ratio_spread(result.ratio, result.subject_ns, result.floor_ns));
  line().print("call", "ns", spread_of(result.subject_ns));
  line().print("floor", "ns", spread_of(result.floor_ns));
}

template <Subject S, Case C>
void print_paced(const PacedPlan& plan) {
  const PacedResult result = paced_calls<S, C>(plan);
  for (std::size_t p = 0; p < kPercentiles.size(); ++p) {
    const auto line = [p] {
      ResultLine of("paced", S::kName, name_of(C));
      of.with("p", kPercentiles[p].name);
      return of;
    };
    line().print("ratio_to_floor", "x",
                 ratio_spread(result.ratio[p], result.subject_ns[p], result.floor_ns[p]));
    line().print("call", "ns", spread_of(result.subject_ns[p]));
    line().print("floor", "ns", spread_of(result.floor_ns[p]));
  }
  ResultLine("paced", S::kName, name_of(C)).print("timer", "ns", spread_of(result.timer_ns));
}

template <Subject S, Case C>
void print_cold(const ColdPlan& plan, CacheEviction& eviction) {
  const ColdResult result = cold_calls<S, C>(plan, eviction);
  const auto line = [] { return ResultLine("cold", S::kName, name_of(C)); };
  line().print("ratio_to_floor", "x",
               ratio_spread(result.ratio, result.subject_ns, result.floor_ns));
  line().print("call", "ns", spread_of(result.subject_ns));
  line().print("floor", "ns", spread_of(result.floor_ns));
}

inline void print_floor(const BurstPlan& plan) {
  Floor floor;
  std::vector<double> ns;
  ns.reserve(static_cast<std::size_t>(plan.pairs));
  for (int burst = 0; burst < plan.pairs; ++burst) {
    ns.push_back(static_cast<double>(floor.burst_ticks(plan.calls)) /
                 (tsc_ticks_per_ns() * plan.calls));
  }
  std::vector<double> rates;
  rates.reserve(ns.size());
  for (const double cost : ns) rates.push_back(1e3 / cost);
  ResultLine("floor", "floor", "tsc").print("call", "ns", spread_of(ns));
  ResultLine("floor", "floor", "tsc").print("rate", "M/s", spread_of(rates, Better::higher));
}

template <Subject S, Case C>
void measure_case(const RunOptions& options, const RecordCostPlan& plan, CacheEviction& eviction) {
  if (!options.wants_case(C)) return;
  if (options.wants_row("back_to_back")) print_back_to_back<S, C>(plan.bursts);
  if (options.wants_row("paced")) print_paced<S, C>(plan.paced);
  if (options.wants_row("cold") && eviction.works()) print_cold<S, C>(plan.cold, eviction);
}

// Prints all rows that `options` select. The caller has pinned its thread and started the consumer.
template <Subject S>
void measure_record_cost(const RunOptions& options, const RecordCostPlan& full = {}) {
  const RecordCostPlan plan = scaled(full, options);
  CacheEviction eviction;
  if (options.wants_row("cold") && !eviction.works()) {
    std::fprintf(stderr, "row cold: no executable memory; row omitted\n");
  }
  if (options.wants_row("floor")) print_floor(plan.bursts);
  measure_case<S, Case::static_text>(options, plan, eviction);
  measure_case<S, Case::string39>(options, plan, eviction);
  measure_case<S, Case::integer>(options, plan, eviction);
  measure_case<S, Case::two_integers>(options, plan, eviction);
  measure_case<S, Case::floating>(options, plan, eviction);
  measure_case<S, Case::five_arguments>(options, plan, eviction);
}

}  // namespace ringside::perf
