#include "tools/report/value_map.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <utility>

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
  count(run, values);
}

// As value_class() and slot_of() do, for what is in the window.
void ValueMap::count(const NumberRun& run, std::span<const double> values) {
  if (values.empty()) return;
  has_latest_ = true;
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
  std::uint32_t* const window = window_.data();
  unsigned shift = kValueClassBits + shift_;
  auto begin = static_cast<std::uint64_t>(window_begin_ - 1);
  for (const double value : values) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const std::uint64_t at = ((bits & ~kSign) >> shift) - begin;
    if (at < kSide) [[likely]] {
      ++window[at + (bits >> 63) * kSide];
      continue;
    }
    if (value == 0) {
      ++zeros_;
      continue;
    }
    count_far(run, value);
    shift = kValueClassBits + shift_;
    begin = static_cast<std::uint64_t>(window_begin_ - 1);
  }
}

// A row for a new class may make classes wider, and so hand over the values of the window.
void ValueMap::count_far(const NumberRun& run, double value) {
  const ValueClass number = value_class(value, shift_);
  slot_of(run.grid, number).row->counts.add(run.grid, run.interval, 1);
  has_latest_ = true;
  ++far_;
  latest_far_ = value;
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
  window_.resize(2 * kSide);
  std::vector<ValueClass> sizes;
  for (const auto& [unix_ns, value] : first) {
    const ValueClass number = value_class(value, shift_);
    slot_of(grid, number).row->counts.add(grid, grid.known_interval(unix_ns), 1);
    sizes.push_back(std::abs(number));
  }
  place_window(std::move(sizes));
}

// Where it has most of the first values, and its middle in theirs.
void ValueMap::place_window(std::vector<ValueClass> sizes) {
  std::sort(sizes.begin(), sizes.end());
  constexpr auto kClasses = static_cast<ValueClass>(kSide);
  std::size_t best = 0;
  std::size_t best_end = 0;
  std::size_t end = 0;
  for (std::size_t begin = 0; begin < sizes.size(); ++begin) {
    while (end < sizes.size() && sizes[end] < sizes[begin] + kClasses) ++end;
    if (end - begin <= best_end - best) continue;
    best = begin;
    best_end = end;
  }
  move_window((sizes[best] + sizes[best_end - 1]) / 2);
}

void ValueMap::move_window(ValueClass middle) {
  window_begin_ = std::max(middle - static_cast<ValueClass>(kSide / 2), kLeastBegin);
}

// The grid may have become coarser since.
void ValueMap::put_latest(const TimeGrid& grid) {
  if (!std::exchange(has_latest_, false)) return;
  const std::size_t interval = interval_ >> (grid.shift() - grid_shift_);
  // Rows for new classes may make classes wider, and move the window.
  const unsigned shift = shift_;
  const ValueClass begin = window_begin_;
  if (zeros_ != 0) slot_of(grid, 0).row->counts.add(grid, interval, std::exchange(zeros_, 0));
  std::uint64_t near = 0;
  for (std::size_t block = 0; block < window_.size(); block += kBlock) {
    std::uint32_t any = 0;
    for (std::size_t i = 0; i < kBlock; ++i) any |= window_[block + i];
    if (any == 0) continue;
    for (std::size_t at = block; at < block + kBlock; ++at) {
      const std::uint32_t values = std::exchange(window_[at], 0);
      if (values == 0) continue;
      near += values;
      const ValueClass size = begin + static_cast<ValueClass>(at % kSide);
      const ValueClass number = at < kSide ? size : -size;
      slot_of(grid, joined_class(number, shift_ - shift)).row->counts.add(grid, interval, values);
    }
  }
  // The values of a field can rise.
  if (std::exchange(far_, 0) > near) move_window(std::abs(value_class(latest_far_, shift_)));
}

ValueMap::Slot& ValueMap::new_slot(const TimeGrid& grid, ValueClass number) {
  while (rows_.size() == kMostClasses) {
    const unsigned before = shift_;
    // It may need wider classes itself.
    put_latest(grid);
    if (shift_ == before) join_rows(grid);
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
  move_window(joined_class(window_begin_ + static_cast<ValueClass>(kSide / 2), 1));
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
