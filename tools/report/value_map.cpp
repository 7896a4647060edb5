#include "tools/report/value_map.hpp"

#include <algorithm>

namespace ringside::tool {

void ValueMap::add(const NumberRun& run) {
  values_ += run.values.size();
  least_ = std::min(least_, run.least);
  most_ = std::max(most_, run.most);
  const TimeGrid& grid = run.grid;
  std::size_t first = 0;
  for (; rows_.empty() && first < run.values.size(); ++first) add_first(run, run.values[first]);
  const auto values = run.values.subspan(first);
  if (run.interval != interval_ || grid.shift() != grid_shift_) {
    if (grid.shift() == grid_shift_ && run.interval < interval_) {
      for (const double value : values)
        slot_of(grid, value_class(value, shift_)).row->counts.add(grid, run.interval, 1);
      return;
    }
    put_latest(grid);
    interval_ = run.interval;
    grid_shift_ = grid.shift();
  }
  for (const double value : values) {
    Slot& slot = slot_of(grid, value_class(value, shift_));
    if (slot.latest++ == 0) touched_.push_back(static_cast<std::uint16_t>(&slot - slots_.data()));
  }
}

void ValueMap::add_first(const NumberRun& run, double value) {
  first_.emplace_back(run.grid.begin_ns() + (std::uint64_t{run.interval} << run.grid.shift()),
                      value);
  if (first_.size() == kFirstValues) put_first(run.grid);
}

void ValueMap::put_first(const TimeGrid& grid) {
  if (first_.empty()) return;
  const auto first = std::exchange(first_, {});
  slots_.resize(kSlots);
  for (const auto& [unix_ns, value] : first) {
    Slot& slot = slot_of(grid, value_class(value, shift_));
    slot.row->counts.add(grid, grid.known_interval(unix_ns), 1);
  }
}

// The grid may have become coarser since.
void ValueMap::put_latest(const TimeGrid& grid) {
  if (touched_.empty()) return;
  const std::size_t interval = interval_ >> (grid.shift() - grid_shift_);
  for (const std::uint16_t at : touched_)
    slots_[at].row->counts.add(grid, interval, std::exchange(slots_[at].latest, 0));
  touched_.clear();
}

ValueMap::Slot& ValueMap::new_slot(const TimeGrid& grid, ValueClass number) {
  while (rows_.size() == kMostClasses) {
    const unsigned before = shift_;
    join_rows(grid);
    number = joined_class(number, shift_ - before);
    const auto known = std::find_if(slots_.begin(), slots_.end(),
                                    [&](const Slot& slot) { return slot.number == number; });
    if (known != slots_.end()) return *known;
  }
  rows_.push_back(std::make_unique<Row>());
  rows_.back()->number = number;
  return enter(*rows_.back());
}

ValueMap::Slot& ValueMap::enter(Row& row) {
  std::size_t at = first_slot(row.number);
  while (slots_[at].row != nullptr) at = (at + 1) % kSlots;
  slots_[at].number = row.number;
  slots_[at].row = &row;
  return slots_[at];
}

void ValueMap::join_rows(const TimeGrid& grid) {
  put_latest(grid);
  ++shift_;
  for (const auto& row : rows_) row->number = joined_class(row->number, 1);
  std::stable_sort(rows_.begin(), rows_.end(),
                   [](const auto& a, const auto& b) { return a->number < b->number; });
  std::size_t kept = 0;
  for (std::size_t i = 1; i < rows_.size(); ++i) {
    if (rows_[i]->number == rows_[kept]->number) {
      rows_[kept]->counts.merge(grid, rows_[i]->counts);
    } else {
      std::swap(rows_[++kept], rows_[i]);
    }
  }
  rows_.resize(kept + 1);
  std::fill(slots_.begin(), slots_.end(), Slot{});
  for (const auto& row : rows_) enter(*row);
}

void ValueMap::coarsen(const TimeGrid& grid) {
  if (!rows_.empty() && shift_ < kMostValueShift) join_rows(grid);
}

const std::vector<std::unique_ptr<ValueMap::Row>>& ValueMap::sorted(const TimeGrid& grid) {
  put_first(grid);
  put_latest(grid);
  std::sort(rows_.begin(), rows_.end(),
            [](const auto& a, const auto& b) { return a->number < b->number; });
  return rows_;
}

}  // namespace ringside::tool
