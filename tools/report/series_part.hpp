#pragma once
// Numeric arguments over time: tracks of counters.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "tools/report/number_run.hpp"
#include "tools/report/time_grid.hpp"
#include "trace-format/codec/site_table.hpp"

namespace ringside::tool {

// What an interval has of a number.
struct NumberExtent {
  double count = 0;
  double sum = 0;
  double least = 0;
  double most = 0;

  NumberExtent operator+(const NumberExtent& other) const;
  NumberExtent& operator+=(const NumberExtent& other) { return *this = *this + other; }
};

// Not thread-safe. NumberPart brings the values.
class SeriesPart {
 public:
  // Of counters (RS_COUNTER) so many more.
  static constexpr std::size_t kMostSeries = 64;
  static constexpr std::size_t kMostCounters = 64;
  static constexpr std::size_t kMostFields = 4;  // of a statement

  using Numbers = GridCounts<NumberExtent>;

  // Of a field of a statement. Null: it has no curve, or there are too many.
  Numbers* numbers_of(std::uint32_t statement, const trace::Site& site, std::uint16_t index);

  static void add(Numbers& numbers, const NumberRun& run);

  // README.md, "series".
  // `level`: of SectionFitting.
  nlohmann::json document(const TimeGrid& grid, unsigned level = 0);

 private:
  struct Series {
    std::uint32_t statement = 0;
    std::string field;
    bool is_counter = false;
    Numbers numbers;
  };
  struct Field {
    std::string name;
    std::uint16_t index = 0;
    Numbers* numbers = nullptr;  // of a Series
  };

  std::vector<std::vector<Field>> statements_;  // by number
  std::vector<std::unique_ptr<Series>> series_;
  std::size_t counters_ = 0;
  std::uint64_t further_ = 0;
};

}  // namespace ringside::tool
