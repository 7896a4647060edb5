#pragma once
// Collects the numbers of records, field by field, for the panels of numbers.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "tools/report/heat_part.hpp"
#include "tools/report/number_run.hpp"
#include "tools/report/report_part.hpp"
#include "tools/report/series_part.hpp"
#include "tools/report/value_number.hpp"

namespace ringside::tool {

// Values wait until a run of a field is full or another interval begins. Memory: 0.5 KB for each
// field of the panels. Not thread-safe.
class NumberPart final : public ReportPart {
 public:
  // `series`: null if no curves are wanted. Both must outlive this part.
  explicit NumberPart(HeatPart& heat, SeriesPart* series = nullptr)
      : heat_(heat), series_(series) {}

  void add(const ReportEvent& event) override;

  // Hands over the values that wait: call it before the panels' data is read.
  void finish(const TimeGrid& grid);

 private:
  static constexpr std::size_t kRunValues = 64;
  // Processes of one service have statements of their own, whose records alternate.
  static constexpr std::size_t kMostFurtherPlans = 7;

  struct Column {
    HeatField* heat = nullptr;              // null: not in the heat map
    SeriesPart::Numbers* series = nullptr;  // null: no curve
    bool is_waiting = false;                // it is in waiting_
    std::uint32_t count = 0;
    std::array<double, kRunValues> values;
  };
  struct Argument {
    std::uint16_t index = 0;
    shm::FieldType type{};
    NumberKind kind{};
    Column* column = nullptr;
  };
  // What to do with the records of a site, which lives as long as its section.
  struct Plan {
    const trace::Site* site = nullptr;
    std::uint32_t section = 0;
    std::vector<Argument> arguments;

    bool is_of(const trace::Event& event) const {
      return site == event.record.site && section == event.section;
    }
  };
  struct Statement {
    Plan first_plan;  // the newest one; in the statement, because each record needs it
    bool has_durations = false;
    std::vector<Plan> further_plans;
    std::size_t oldest_plan = 0;  // of the further ones
    std::vector<std::unique_ptr<Column>> columns;
    Column* durations = nullptr;  // null: of no panel
  };

  const Plan& plan_of(Statement& statement, const ReportEvent& event) {
    if (statement.first_plan.is_of(event.event)) [[likely]]
      return statement.first_plan;
    return further_plan_of(statement, event);
  }
  const Plan& further_plan_of(Statement& statement, const ReportEvent& event);
  Plan make_plan(Statement& statement, const ReportEvent& event);
  // Null if no panel has it.
  static Column* column_of(Statement& statement, HeatField* heat, SeriesPart::Numbers* series);
  Column* durations_of(Statement& statement, std::uint32_t number);
  void add_value(Column& column, const TimeGrid& grid, double value) {
    column.values[column.count++] = value;
    if (column.count == 1 && !column.is_waiting) [[unlikely]]
      wait(column);
    if (column.count == kRunValues) [[unlikely]]
      hand_over(column, grid, interval_);
  }
  void wait(Column& column);
  void hand_over(Column& column, const TimeGrid& grid, std::size_t interval);
  void hand_over_finite(Column& column, const NumberRun& run);
  void give(const Column& column, const NumberRun& run);
  void hand_over_all(const TimeGrid& grid);

  HeatPart& heat_;
  SeriesPart* series_;
  std::vector<Statement> statements_;  // by number
  std::vector<Column*> waiting_;
  // Of the values that wait.
  std::size_t interval_ = 0;
  unsigned grid_shift_ = 0;
};

}  // namespace ringside::tool
