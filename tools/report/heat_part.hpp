#pragma once
// The heat map: how the numbers of statements and the durations of spans are distributed over time.

#include <memory>
#include <string>
#include <vector>

#include "tools/report/report_part.hpp"
#include "tools/report/value_map.hpp"

namespace ringside::tool {

// A number of a statement: an argument, or the duration of its spans.
struct HeatField {
  std::uint32_t statement = 0;
  bool is_duration = false;
  std::uint16_t index = 0;  // of the argument
  std::string name;         // of the argument; empty: it has none
  bool is_forgotten = false;
  std::uint64_t not_finite = 0;  // not in `values`
  ValueMap map;
};

class HeatPart final : public ReportPart {
 public:
  // Those with the most values are in the document.
  static constexpr std::size_t kMostFields = 64;
  // Together they have at most so many counts that are not 0: about 1 MB in a page.
  static constexpr std::size_t kMostCells = 600'000;
  // Of all fields, 1 KB each. Beyond it, the half of the fields with the fewest values is
  // forgotten.
  static constexpr std::size_t kMostRows = 49'152;
  static constexpr std::size_t kMostKnownFields = 32'768;

  void add(const ReportEvent& event) override;

  // Those with the most values, in the order of their statements.
  std::vector<HeatField*> shown_fields();

  // All of a statement that are not forgotten.
  std::vector<HeatField*> fields_of(std::uint32_t statement) const;
  // The one of a statement that is the same as one of another trace; null: there is none.
  HeatField* same_field(std::uint32_t statement, const HeatField& other) const;

  // README.md, "heat". Makes classes wider until the document is small enough.
  std::string document(const TimeGrid& grid);

 private:
  struct Argument {
    std::uint16_t index = 0;
    HeatField* field = nullptr;
  };
  struct Statement {
    // Of the event before. Sites live as long as their section.
    const trace::Site* site = nullptr;
    std::uint32_t section = 0;
    std::vector<Argument> arguments;
    HeatField* duration = nullptr;
    std::vector<HeatField*> fields;
  };

  void plan(Statement& statement, const ReportEvent& event);
  // Null if there are too many.
  HeatField* field_of(Statement& statement, const HeatField& wanted);
  void add_value(HeatField& field, const ReportEvent& event, double value);
  void forget_half();

  std::vector<std::unique_ptr<Statement>> statements_;  // by number
  std::vector<std::unique_ptr<HeatField>> fields_;
  std::size_t rows_ = 0;
};

}  // namespace ringside::tool
