#pragma once
// Numbers over time: how many of each class in each interval of a grid.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "tools/report/number_run.hpp"
#include "tools/report/time_grid.hpp"
#include "tools/report/value_class.hpp"

namespace ringside::tool {

// The first few values are kept as they are: most fields have no more, and need no classes. Those
// of the latest interval are counted apart, where the counts of neighbouring classes are
// neighbours; rows get them when a later interval begins. Not thread-safe.
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
  static constexpr unsigned kSlotBits = 9;
  static constexpr std::size_t kSlots = std::size_t{1} << kSlotBits;
  static_assert(kSlots == 2 * kMostClasses);
  static constexpr ValueClass kNoClass = std::numeric_limits<ValueClass>::min();

  // Classes that are counted apart, of each sign: 16 octaves with the shift 0. Others go to their
  // rows at once.
  static constexpr std::size_t kSide = 256;
  static constexpr std::size_t kBlock = 16;  // most are empty as a whole

  // Zero and the class after it have the same upper bits. Zeros are counted alone.
  static constexpr ValueClass kLeastBegin = 2;

  struct Slot {
    ValueClass number = kNoClass;
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
  // Classes of a field are neighbours: a multiplication scatters them.
  static std::size_t first_slot(ValueClass number) {
    return static_cast<std::uint32_t>(number) * 0x9E3779B1U >> (32 - kSlotBits);
  }
  void add_first(const NumberRun& run, double value);
  void put_first(const TimeGrid& grid);
  void count(const NumberRun& run, std::span<const double> values);
  void count_far(const NumberRun& run, double value);
  void put_latest(const TimeGrid& grid);
  void place_window(std::vector<ValueClass> sizes);
  void move_window(ValueClass middle);
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
  // Values of the latest interval: of the positive classes from window_begin_ on, and after kSide
  // places the same of the negative ones.
  ValueClass window_begin_ = kLeastBegin;
  std::vector<std::uint32_t> window_;
  std::uint32_t zeros_ = 0;  // of the latest interval
  std::uint64_t far_ = 0;    // values that were in no place of the window
  double latest_far_ = 0;    // the last one of them
  bool has_latest_ = false;  // window_ or zeros_ has some
  std::vector<std::unique_ptr<Row>> rows_;
  std::vector<std::pair<std::uint64_t, double>> first_;  // time and value
};

}  // namespace ringside::tool
