// A column of f32 or f64 values: the models "bits", "XOR" and "decimal" of README.md, "Columns".
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trace-format/packing/column_bytes.hpp"

namespace ringside::trace {

enum class RealModel : std::uint8_t { kBits = 0, kXor = 1, kDecimal = 2 };
enum class RealWidth : std::uint8_t { k32, k64 };

// The values are bit patterns.
void put_reals(std::span<const std::uint64_t> values, RealWidth width, ColumnWriter& out);

// Like take_integers().
void take_reals(ColumnReader& in, std::size_t count, RealWidth width,
                std::vector<std::uint64_t>& values);

}  // namespace ringside::trace
