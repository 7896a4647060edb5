// Aggregation over one site: opens a trace file that is in the page cache, visits the site's
// records and computes count, sum, minimum and maximum of one field. "ns" is per record in the
// file, of any site; opening, checksums and reading are included. "aggregate" is a loop over
// SiteScan; "query" is the typed query interface, which also opens the file a second time to check
// the fields and computes the standard deviation.

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include <benchmark/benchmark.h>

#include "perf/generated_trace.hpp"
#include "trace-format/query/distribution.hpp"
#include "trace-format/query/groups.hpp"
#include "trace-format/query/summary.hpp"
#include "trace-format/query/visit.hpp"
#include "trace-format/reader/site_scan.hpp"

namespace {

using namespace ringside;
using perf::Statement;

constexpr std::size_t kRecords = 1'000'000;

struct Aggregate {
  std::uint64_t count = 0;
  double sum = 0;
  double min = std::numeric_limits<double>::infinity();
  double max = -min;

  void add(double value) {
    ++count;
    sum += value;
    min = std::min(min, value);
    max = std::max(max, value);
  }
};

// `is_double`: the field is an f64; otherwise an unsigned integer.
void run(benchmark::State& state, const perf::GeneratedTrace::Plan& plan, Statement statement,
         std::uint16_t field, bool is_double) {
  const perf::GeneratedTrace file(plan);
  Aggregate result;
  while (state.KeepRunning()) {
    result = {};
    auto scan = trace::SiteScan::open(file.path(), nullptr);
    if (!scan) return state.SkipWithError("the file cannot be read");
    const auto choose = [&](const trace::Site& site, trace::SiteChoice& choice) {
      if (site.id == static_cast<std::uint32_t>(statement)) choice.add(site, {&field, 1});
    };
    scan->run(choose, [&](const trace::RecordView& record, trace::TickClock&) {
      const trace::Value& value = record.args[field];
      result.add(is_double ? value.f64 : static_cast<double>(value.i64));
    });
    benchmark::DoNotOptimize(result);
  }
  const auto total = static_cast<double>(state.iterations()) * static_cast<double>(file.records());
  state.counters["bytes"] = static_cast<double>(file.bytes()) / static_cast<double>(file.records());
  state.SetLabel(std::to_string(result.count) + " of " + std::to_string(file.records()) +
                 " records count");
  state.counters["ns"] =
      benchmark::Counter(total * 1e-9, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

// Passes the file's records to `visitor` with the field "#N".
template <class Visitor>
void run_query(benchmark::State& state, const perf::GeneratedTrace::Plan& plan,
               std::string_view text, std::string_view field, Visitor visitor) {
  const perf::GeneratedTrace file(plan);
  const std::array<std::string, 1> paths{file.path()};
  const std::array<std::string_view, 1> fields{field};
  const auto sites = trace::query::SiteSelector::text(text);
  while (state.KeepRunning()) {
    Visitor fresh = visitor;
    const auto result = trace::query::visit(paths, sites, fields, fresh);
    if (!result.ok()) return state.SkipWithError(result.text().c_str());
    benchmark::DoNotOptimize(fresh);
  }
  const auto total = static_cast<double>(state.iterations()) * static_cast<double>(file.records());
  state.counters["ns"] =
      benchmark::Counter(total * 1e-9, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

template <class T>
struct Summed {
  trace::query::Summary<T> summary;
  void operator()(T value) { summary.add(value); }
};

struct Spread {
  trace::query::Distribution distribution;
  void operator()(double value) { distribution.add(value); }
};

struct Grouped {
  trace::query::Groups<trace::query::Summary<std::int64_t>> groups{
      {{trace::query::KeyPartKind::kField, 0, 1}}};
  void operator()(const trace::query::RecordInfo& record, std::int64_t value) {
    groups.of(record).add(value);
  }
};

void query_one_integer(benchmark::State& state) {
  run_query(state, {Statement::kInteger, 1, kRecords}, "speeds", "#1", Summed<std::int64_t>{});
}

void query_integer_of_five_arguments(benchmark::State& state) {
  run_query(state, {Statement::kFiveArguments, 1, kRecords}, "consumed", "#1",
            Summed<std::uint64_t>{});
}

void query_double_of_five_arguments(benchmark::State& state) {
  run_query(state, {Statement::kFiveArguments, 1, kRecords}, "consumed", "#5", Summed<double>{});
}

void query_one_percent_among_static(benchmark::State& state) {
  run_query(state, {Statement::kStatic, 1, kRecords, 100}, "speeds", "#1", Summed<std::int64_t>{});
}

void query_percentiles_of_one_integer(benchmark::State& state) {
  run_query(state, {Statement::kInteger, 1, kRecords}, "speeds", "#1", Spread{});
}

void query_groups_of_one_integer(benchmark::State& state) {
  run_query(state, {Statement::kInteger, 1, kRecords}, "speeds", "#1", Grouped{});
}

void one_integer(benchmark::State& state) {
  run(state, {Statement::kInteger, 1, kRecords}, Statement::kInteger, 0, false);
}

void integer_of_five_arguments(benchmark::State& state) {
  run(state, {Statement::kFiveArguments, 1, kRecords}, Statement::kFiveArguments, 0, false);
}

void double_of_five_arguments(benchmark::State& state) {
  run(state, {Statement::kFiveArguments, 1, kRecords}, Statement::kFiveArguments, 4, true);
}

void one_percent_among_static(benchmark::State& state) {
  run(state, {Statement::kStatic, 1, kRecords, 100}, Statement::kInteger, 0, false);
}

void one_percent_among_five_arguments(benchmark::State& state) {
  run(state, {Statement::kFiveArguments, 1, kRecords, 100}, Statement::kInteger, 0, false);
}

// The cost of reading, checksums and opening alone.
void none_among_five_arguments(benchmark::State& state) {
  run(state, {Statement::kFiveArguments, 1, kRecords}, Statement::kInteger, 0, false);
}

BENCHMARK(none_among_five_arguments)
    ->Name("aggregate/none_among_five_arguments")
    ->Unit(benchmark::kMillisecond);
BENCHMARK(one_integer)->Name("aggregate/one_integer")->Unit(benchmark::kMillisecond);
BENCHMARK(integer_of_five_arguments)
    ->Name("aggregate/integer_of_five_arguments")
    ->Unit(benchmark::kMillisecond);
BENCHMARK(double_of_five_arguments)
    ->Name("aggregate/double_of_five_arguments")
    ->Unit(benchmark::kMillisecond);
BENCHMARK(one_percent_among_static)
    ->Name("aggregate/one_percent_among_static")
    ->Unit(benchmark::kMillisecond);
BENCHMARK(one_percent_among_five_arguments)
    ->Name("aggregate/one_percent_among_five_arguments")
    ->Unit(benchmark::kMillisecond);
BENCHMARK(query_one_integer)->Name("query/one_integer")->Unit(benchmark::kMillisecond);
BENCHMARK(query_integer_of_five_arguments)
    ->Name("query/integer_of_five_arguments")
    ->Unit(benchmark::kMillisecond);
BENCHMARK(query_double_of_five_arguments)
    ->Name("query/double_of_five_arguments")
    ->Unit(benchmark::kMillisecond);
BENCHMARK(query_one_percent_among_static)
    ->Name("query/one_percent_among_static")
    ->Unit(benchmark::kMillisecond);
BENCHMARK(query_percentiles_of_one_integer)
    ->Name("query/percentiles_of_one_integer")
    ->Unit(benchmark::kMillisecond);
BENCHMARK(query_groups_of_one_integer)
    ->Name("query/groups_of_one_integer")
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
