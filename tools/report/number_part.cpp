#include "tools/report/number_part.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "shm-layout/record_head.hpp"

namespace ringside::tool {
namespace {

double span_length_ns(const trace::Event& event) {
  return static_cast<double>(event.record.duration) * 1e9 /
         static_cast<double>(event.segment->tick_hz);
}

NumberRun run_of(const TimeGrid& grid, std::size_t interval, std::span<const double> values) {
  NumberRun run{grid, interval, values, values[0], values[0], 0};
  for (const double value : values) {
    run.least = value < run.least ? value : run.least;
    run.most = value > run.most ? value : run.most;
    run.sum += value;
  }
  return run;
}

}  // namespace

void NumberPart::add(const ReportEvent& event) {
  if (event.event.kind != trace::EventKind::kRecord) return;
  const std::uint32_t number = event.place.site->number;
  if (number >= statements_.size()) [[unlikely]]
    statements_.resize(std::size_t{number} + 1);
  Statement& statement = statements_[number];
  const bool has_duration =
      (event.event.record.ext_flags & shm::kExtDuration) != 0 && event.event.segment->tick_hz != 0;
  const Plan& plan = plan_of(statement, event);
  if (plan.arguments.empty() && !has_duration) return;
  if (event.interval != interval_ || event.grid.shift() != grid_shift_) [[unlikely]] {
    hand_over_all(event.grid);
    interval_ = event.interval;
    grid_shift_ = event.grid.shift();
  }
  for (const Argument& argument : plan.arguments) {
    const trace::Value& value = event.event.record.args[argument.index];
    const NumberKind kind = value.type == argument.type ? argument.kind : number_kind(value.type);
    add_value(*argument.column, event.grid, double_of(value, kind));
  }
  if (!has_duration) return;
  if (Column* const durations = durations_of(statement, number))
    add_value(*durations, event.grid, span_length_ns(event.event));
}

const NumberPart::Plan& NumberPart::further_plan_of(Statement& statement,
                                                    const ReportEvent& event) {
  std::vector<Plan>& further = statement.further_plans;
  const auto known = std::find_if(further.begin(), further.end(),
                                  [&](const Plan& plan) { return plan.is_of(event.event); });
  if (known != further.end()) return *known;
  // Sections follow each other: the newest one has the most records from now on.
  if (statement.first_plan.site == nullptr) {
    // There was none.
  } else if (further.size() < kMostFurtherPlans) {
    further.push_back(std::move(statement.first_plan));
  } else {
    further[statement.oldest_plan] = std::move(statement.first_plan);
    statement.oldest_plan = (statement.oldest_plan + 1) % kMostFurtherPlans;
  }
  return statement.first_plan = make_plan(statement, event);
}

// Builds of a service can differ in the arguments of a statement: the name tells which is which.
NumberPart::Plan NumberPart::make_plan(Statement& statement, const ReportEvent& event) {
  Plan plan{event.event.record.site, event.event.section, {}};
  const std::uint32_t number = event.place.site->number;
  const std::size_t fields = std::min(plan.site->fields.size(), event.event.record.args.size());
  for (std::size_t i = 0; i < fields; ++i) {
    const auto index = static_cast<std::uint16_t>(i);
    const trace::Field& field = plan.site->fields[i];
    HeatField* const heat = heat_.argument_field(number, *plan.site, index);
    SeriesPart::Numbers* const series =
        series_ != nullptr ? series_->numbers_of(number, *plan.site, index) : nullptr;
    if (Column* const column = column_of(statement, heat, series))
      plan.arguments.push_back({index, field.type, number_kind(field.type), column});
  }
  return plan;
}

NumberPart::Column* NumberPart::column_of(Statement& statement, HeatField* heat,
                                          SeriesPart::Numbers* series) {
  if (heat == nullptr && series == nullptr) return nullptr;
  for (const auto& column : statement.columns) {
    if (column->heat == heat && column->series == series) return column.get();
  }
  statement.columns.push_back(std::make_unique<Column>());
  statement.columns.back()->heat = heat;
  statement.columns.back()->series = series;
  return statement.columns.back().get();
}

NumberPart::Column* NumberPart::durations_of(Statement& statement, std::uint32_t number) {
  if (!statement.has_durations) [[unlikely]] {
    statement.has_durations = true;
    statement.durations = column_of(statement, heat_.duration_field(number), nullptr);
  }
  return statement.durations;
}

void NumberPart::wait(Column& column) {
  column.is_waiting = true;
  waiting_.push_back(&column);
}

void NumberPart::hand_over(Column& column, const TimeGrid& grid, std::size_t interval) {
  const std::span<const double> values(column.values.data(), column.count);
  if (values.empty()) return;
  column.count = 0;
  const NumberRun run = run_of(grid, interval, values);
  // Also for a sum beyond the greatest double.
  if (!std::isfinite(run.sum)) [[unlikely]]
    return hand_over_finite(column, run);
  give(column, run);
}

void NumberPart::hand_over_finite(Column& column, const NumberRun& run) {
  std::array<double, kRunValues> finite;
  const auto end = std::copy_if(run.values.begin(), run.values.end(), finite.begin(),
                                [](double value) { return std::isfinite(value); });
  const auto count = static_cast<std::size_t>(end - finite.begin());
  if (column.heat != nullptr) column.heat->not_finite += run.values.size() - count;
  if (count != 0) give(column, run_of(run.grid, run.interval, {finite.data(), count}));
}

void NumberPart::give(const Column& column, const NumberRun& run) {
  if (column.heat != nullptr) heat_.add(*column.heat, run);
  if (column.series != nullptr) SeriesPart::add(*column.series, run);
}

// The grid may have become coarser since.
void NumberPart::hand_over_all(const TimeGrid& grid) {
  if (waiting_.empty()) return;
  const std::size_t interval = interval_ >> (grid.shift() - grid_shift_);
  for (Column* const column : waiting_) {
    hand_over(*column, grid, interval);
    column->is_waiting = false;
  }
  waiting_.clear();
}

void NumberPart::finish(const TimeGrid& grid) {
  hand_over_all(grid);
}

}  // namespace ringside::tool
