#pragma once
// The heat map: how the numbers of statements and the durations of spans are distributed over time.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tools/report/number_run.hpp"
#include "tools/report/value_map.hpp"
#include "trace-format/codec/site_table.hpp"

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

// Not thread-safe. NumberPart brings the values.
class HeatPart {
 public:
  // Those with the most values are in the document.
  static constexpr std::size_t kMostFields = 64;
  // Together they have at most so many counts that are not 0: about 1 MB in a page.
  static constexpr std::size_t kMostCells = 600'000;
  // Of all fields, 1 KB each. Beyond it, the half of the fields with the fewest values is
  // forgotten.
  static constexpr std::size_t kMostRows = 49'152;
  static constexpr std::size_t kMostKnownFields = 32'768;

  // Of a statement. Null: it is not in the heat map, or there are too many.
  HeatField* argument_field(std::uint32_t statement, const trace::Site& site, std::uint16_t index);
  HeatField* duration_field(std::uint32_t statement);

  void add(HeatField& field, const NumberRun& run);

  // Those with the most values, in the order of their statements.
  std::vector<HeatField*> shown_fields(std::size_t most = kMostFields);

  // All of a statement that are not forgotten.
  std::vector<HeatField*> fields_of(std::uint32_t statement) const;
  // The one of a statement that is the same as one of another trace; null: there is none.
  HeatField* same_field(std::uint32_t statement, const HeatField& other) const;

  // README.md, "heat". Makes classes wider until the document is small enough. `level`: of
  // SectionFitting.
  std::string document(const TimeGrid& grid, unsigned level = 0);

 private:
  HeatField* field_like(HeatField wanted);
  void forget_half();

  std::vector<std::vector<HeatField*>> by_statement_;  // by number
  std::vector<std::unique_ptr<HeatField>> fields_;
  std::size_t rows_ = 0;
};

}  // namespace ringside::tool
