// A column of integers: the models "offset", "delta", "delta of deltas" and "dictionary" of
// README.md, "Columns".
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trace-format/packing/column_bytes.hpp"

namespace ringside::trace {

enum class IntegerModel : std::uint8_t {
  kOffset = 0,
  kDelta = 1,
  kDeltaOfDeltas = 2,
  kDictionary = 3,
};
inline constexpr std::size_t kMaxColumnDictionary = 65536;

struct IntegerChoice {
  IntegerModel model = IntegerModel::kOffset;
  double bits = 0;  // an estimate of the size after compression
};

// The model with the smallest estimate, which comes from samples of a long column.
IntegerChoice choose_integer_model(std::span<const std::uint64_t> values);

void put_integers(std::span<const std::uint64_t> values, ColumnWriter& out);
void put_integers(std::span<const std::uint64_t> values, IntegerModel model, ColumnWriter& out);

// Replaces `values` by the next `count` ones. The caller bounds `count`: they take 8 bytes each.
// After a failure of `in` they are undefined.
void take_integers(ColumnReader& in, std::size_t count, std::vector<std::uint64_t>& values);

}  // namespace ringside::trace
