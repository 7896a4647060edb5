#pragma once
// Numbers over time: how many of each class in each interval of a grid.

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "tools/report/number_run.hpp"
#include "tools/report/time_grid.hpp"
#include "tools/report/value_class.hpp"

namespace ringside::tool {

// The first few values are kept as they are: most fields have no more, and need no classes. Those
// of the latest interval are counted in the table of classes, which fits the processor's cache;
// rows get them when a later interval begins. Not thread-safe.
class ValueMap {
 public:
  static constexpr std::size_t kMostClasses = 256;
  static constexpr std::size_t kFirstValues = 64;

  void add(const NumberRun& run);

  std::uint64_t values() const { return values_; }
  double least() const { return least_; }
  double most() const { return most_; }

  // The memory that it needs, in rows of a grid.
  std::size_t rows() const { return rows_.size(); }

  // A class and its counts, by interval.
  struct Row {
    ValueClass number = 0;
    GridCounts<std::uint32_t> counts;
  };

  // Rising. All values are put into rows, too.
  const std::vector<std::unique_ptr<Row>>& sorted(const TimeGrid& grid);
  unsigned shift() const { return shift_; }
  // Joins each two classes.
  void coarsen(const TimeGrid& grid);

 private:
  static constexpr std::size_t kSlots = 2 * kMostClasses;
  static constexpr ValueClass kNoClass = std::numeric_limits<ValueClass>::min();

  struct Slot {
    ValueClass number = kNoClass;
    std::uint32_t latest = 0;  // values of the latest interval, which `row` lacks
    Row* row = nullptr;
  };

  Slot& slot_of(const TimeGrid& grid, ValueClass number) {
    for (std::size_t at = first_slot(number);; at = (at + 1) % kSlots) {
      Slot& slot = slots_[at];
      if (slot.number == number) [[likely]]
        return slot;
      if (slot.number == kNoClass) [[unlikely]]
        return new_slot(grid, number);
    }
  }
  // Neighbours get neighbouring slots. Each sign has a half, so that values on both sides of zero
  // do not search each other's.
  static std::size_t first_slot(ValueClass number) {
    const auto size = static_cast<std::uint32_t>(number < 0 ? -number : number);
    return size % kMostClasses + (number < 0 ? kMostClasses : 0);
  }
  void add_first(const NumberRun& run, double value);
  void put_first(const TimeGrid& grid);
  void put_latest(const TimeGrid& grid);
  Slot& new_slot(const TimeGrid& grid, ValueClass number);
  Slot& enter(Row& row);
  void join_rows(const TimeGrid& grid);

  std::uint64_t values_ = 0;
  double least_ = std::numeric_limits<double>::infinity();
  double most_ = -std::numeric_limits<double>::infinity();
  unsigned shift_ = 0;
  std::size_t interval_ = 0;  // the latest one, of a grid with
  unsigned grid_shift_ = 0;
  std::vector<Slot> slots_;
  std::vector<std::uint16_t> touched_;  // slots with values of the latest interval
  std::vector<std::unique_ptr<Row>> rows_;
  std::vector<std::pair<std::uint64_t, double>> first_;  // time and value
};

}  // namespace ringside::tool
