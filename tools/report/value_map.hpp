#pragma once
// Numbers over time: how many of each class in each interval of a grid.

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "tools/report/time_grid.hpp"
#include "tools/report/value_class.hpp"

namespace ringside::tool {

// The first few values are kept as they are: most fields have no more, and need no classes. Not
// thread-safe.
class ValueMap {
 public:
  static constexpr std::size_t kMostClasses = 256;
  static constexpr std::size_t kFirstValues = 64;

  // `value` must be finite.
  void add(const TimeGrid& grid, std::size_t interval, std::uint64_t unix_ns, double value) {
    ++values_;
    if (value < least_) least_ = value;
    if (value > most_) most_ = value;
    if (rows_.empty()) [[unlikely]]
      return add_first(grid, unix_ns, value);
    row_of(grid, value_class(value, shift_)).add(grid, interval, 1);
  }

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

  // Rising. The first values are put into classes, too.
  const std::vector<std::unique_ptr<Row>>& sorted(const TimeGrid& grid);
  unsigned shift() const { return shift_; }
  // Joins each two classes.
  void coarsen(const TimeGrid& grid);

 private:
  static constexpr std::size_t kSlots = 2 * kMostClasses;

  struct Slot {
    ValueClass number = 0;
    Row* row = nullptr;
  };

  GridCounts<std::uint32_t>& row_of(const TimeGrid& grid, ValueClass number) {
    if (last_.number == number && last_.row != nullptr) return last_.row->counts;
    for (std::size_t at = slot_of(number);; at = (at + 1) % kSlots) {
      const Slot& slot = slots_[at];
      if (slot.row == nullptr) [[unlikely]]
        return new_row(grid, number);
      if (slot.number != number) continue;
      last_ = slot;
      return slot.row->counts;
    }
  }
  // Neighbours get neighbouring slots.
  static std::size_t slot_of(ValueClass number) {
    return static_cast<std::uint32_t>(number) % kSlots;
  }
  void add_first(const TimeGrid& grid, std::uint64_t unix_ns, double value);
  void put_first(const TimeGrid& grid);
  GridCounts<std::uint32_t>& new_row(const TimeGrid& grid, ValueClass number);
  void enter(Row& row);
  void join_rows(const TimeGrid& grid);

  std::uint64_t values_ = 0;
  double least_ = std::numeric_limits<double>::infinity();
  double most_ = -std::numeric_limits<double>::infinity();
  unsigned shift_ = 0;
  Slot last_;
  std::vector<Slot> slots_;
  std::vector<std::unique_ptr<Row>> rows_;
  std::vector<std::pair<std::uint64_t, double>> first_;  // time and value
};

}  // namespace ringside::tool
