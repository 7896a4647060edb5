#pragma once
// Numeric arguments over time: tracks of counters.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tools/report/report_part.hpp"

namespace ringside::tool {

// What an interval has of a number.
struct NumberExtent {
  double count = 0;
  double sum = 0;
  double least = 0;
  double most = 0;

  void add(double number) {
    if (count == 0) {
      *this = {1, number, number, number};
      return;
    }
    count += 1;
    sum += number;
    least = std::min(least, number);
    most = std::max(most, number);
  }
  NumberExtent operator+(const NumberExtent& other) const;
  NumberExtent& operator+=(const NumberExtent& other) { return *this = *this + other; }
};

class SeriesPart final : public ReportPart {
 public:
  // Of counters (RS_COUNTER) so many more.
  static constexpr std::size_t kMostSeries = 64;
  static constexpr std::size_t kMostCounters = 64;
  static constexpr std::size_t kMostFields = 4;  // of a statement

  void add(const ReportEvent& event) override;

  // README.md, "series".
  nlohmann::json document(const TimeGrid& grid);

 private:
  struct Series {
    std::uint32_t statement = 0;
    std::string field;
    bool is_counter = false;
    GridCounts<NumberExtent> numbers;
  };
  struct Place {
    std::uint16_t field = 0;
    GridCounts<NumberExtent>* numbers = nullptr;  // of a Series
  };
  struct Statement {
    bool is_known = false;
    std::uint8_t fields = 0;
    std::array<Place, kMostFields> places{};
  };

  void know(Statement& statement, const ReportEvent& event);

  std::vector<Statement> statements_;  // by number
  std::vector<std::unique_ptr<Series>> series_;
  std::size_t counters_ = 0;
  std::uint64_t further_ = 0;
};

}  // namespace ringside::tool
