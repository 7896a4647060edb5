#pragma once
// The record of a span whose values have sizes that are known when it is compiled: without texts,
// and without values that are added later.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "span_record.h"
#include "typed_call.hpp"

namespace ringside::detail {

// Sizes of values, in order: 4 bits each, the logarithm plus 1. 0: the end.
using ValueSizes = std::uint64_t;
inline constexpr std::size_t kMostValueSizes = 15;

constexpr std::size_t value_size(ValueSizes sizes, std::size_t value) {
  const ValueSizes code = sizes >> 4 * value & 15;
  return code != 0 ? std::size_t{1} << (code - 1) : 0;
}
constexpr std::size_t value_offset(ValueSizes sizes, std::size_t value) {
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < value; ++i) bytes += value_size(sizes, i);
  return bytes;
}
constexpr std::size_t value_count(ValueSizes sizes) {
  std::size_t count = 0;
  while (value_size(sizes, count) != 0) ++count;
  return count;
}

// Those of the fields with `Codes` (SpanCodes). `is_fixed`: whether they have them.
struct FixedSizes {
  bool is_fixed = true;
  ValueSizes sizes = 0;
};
template <class Codes>
constexpr FixedSizes fixed_sizes() {
  FixedSizes result;
  std::size_t values = 0;
  for (std::size_t i = 0; i < Codes::kFields; ++i) {
    const unsigned code = Codes::field(i);
    if ((code & kConstantCode) != 0) continue;
    const shm::FieldType type = field_type(code);
    if (shm::is_variable_length(type) || values == kMostValueSizes) return {false, 0};
    const std::size_t size = shm::fixed_size(type);
    ValueSizes size_code = 1;
    while (std::size_t{1} << (size_code - 1) < size) ++size_code;
    result.sizes |= size_code << 4 * values++;
    if (value_size(result.sizes, values - 1) != size) return {false, 0};  // long double
  }
  return result;
}

template <ValueSizes kSizes, std::size_t... kValues>
[[gnu::always_inline]] inline void store_fixed_values(unsigned char* to, const unsigned char* from,
                                                      std::index_sequence<kValues...> /*values*/) {
  // One by one, each as it was stored: a load of two values that were just stored waits until the
  // cache has both.
  (std::memcpy(to + value_offset(kSizes, kValues), from + value_offset(kSizes, kValues),
               value_size(kSizes, kValues)),
   ...);
}

template <ValueSizes kSizes>
[[gnu::always_inline]] inline void store_fixed_span(rs_site* site, std::uint64_t begin_tsc,
                                                    const unsigned char* values,
                                                    std::uint64_t start, std::uint64_t tsc) {
  constexpr std::size_t kValues = value_count(kSizes);
  constexpr std::uint64_t kBytes = RS_SPAN_HEAD_BYTES + value_offset(kSizes, kValues);
  unsigned char* p = rs_store_span_head_(rs_place(start), site, RS_EXTENDED_SPAN, kBytes, tsc);
  p = rs_store_duration_(p, begin_tsc, tsc);
  store_fixed_values<kSizes>(p, values, std::make_index_sequence<kValues>());
  rs_publish(start, kBytes);
}

// What the slow path of record_fixed_span() does: in a function of its own, so that the other one
// saves no registers.
template <ValueSizes kSizes>
[[gnu::noinline, gnu::cold, gnu::visibility("hidden")]] inline void record_fixed_span_slowly(
    rs_site* site, std::uint64_t begin_tsc, const unsigned char* values, std::uint64_t start,
    std::uint64_t tsc) {
  constexpr std::size_t kValues = value_count(kSizes);
  constexpr std::uint64_t kBytes = RS_SPAN_HEAD_BYTES + value_offset(kSizes, kValues);
  start = rs_reserve_slow(start, kBytes, tsc);
  if (start >= RS_DROPPED) return rs_dropped(site, start);
  store_fixed_span<kSizes>(site, begin_tsc, values, start, rs_thread_state.slow_tsc);
}

// Records a span that ends now: as rs_record_span_(). One function for all statements of a shared
// object whose values have these sizes.
template <ValueSizes kSizes>
[[gnu::noinline, gnu::visibility("hidden")]] inline void record_fixed_span(
    rs_site* site, std::uint8_t state, std::uint64_t begin_tsc, const unsigned char* values) {
  constexpr std::size_t kValues = value_count(kSizes);
  constexpr std::size_t kValueBytes = value_offset(kSizes, kValues);
  if (__builtin_expect(rs_thread_activity.flags != 0, 0)) {
    return rs_record_span_(site, state, begin_tsc, values, kValueBytes, RS_EXTENDED_SPAN);
  }
  std::uint64_t start = 0;
  std::uint64_t tsc = 0;
  if (__builtin_expect(!rs_reserve_fast(state, RS_SPAN_HEAD_BYTES + kValueBytes, &start, &tsc),
                       0)) {
    return record_fixed_span_slowly<kSizes>(site, begin_tsc, values, start, tsc);
  }
  store_fixed_span<kSizes>(site, begin_tsc, values, start, tsc);
}

// The same, for values in a variable that can be in registers: without its address, its other
// members need no stores.
template <ValueSizes kSizes>
[[gnu::always_inline]] inline void record_fixed_values(rs_site* site, std::uint8_t state,
                                                       std::uint64_t begin_tsc,
                                                       const unsigned char* values) {
  constexpr std::size_t kValues = value_count(kSizes);
  if constexpr (kValues == 0) {
    record_fixed_span<kSizes>(site, state, begin_tsc, nullptr);
  } else {
    alignas(8) unsigned char copy[value_offset(kSizes, kValues)];
    store_fixed_values<kSizes>(copy, values, std::make_index_sequence<kValues>());
    record_fixed_span<kSizes>(site, state, begin_tsc, copy);
  }
}

}  // namespace ringside::detail
