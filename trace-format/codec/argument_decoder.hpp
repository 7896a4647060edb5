// Reads the arguments of a record: tags, and the bytes that they require. The functions of this
// file check only tags; read_arguments_near_end() checks everything.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "trace-format/blocks/little_endian.hpp"
#include "trace-format/codec/argument_tag.hpp"
#include "trace-format/codec/read_plan.hpp"
#include "trace-format/codec/site_table.hpp"
#include "trace-format/codec/value_codec.hpp"
#include "trace-format/codec/value_history.hpp"
#include "trace-format/text/value.hpp"

namespace ringside::trace {

inline void read_integer(unsigned tag, const ReadField& field, const std::byte*& at, Value& value) {
  const IntegerTag& t = kIntegerTags[tag];
  const std::uint64_t number = t.value(load<std::uint64_t>(at), value.u64);
  value.u64 = ((number & field.value_mask) ^ field.sign_bit) - field.sign_bit;
  at += t.bytes;
}

// For ReadKind::kIntegers with at least plan.quick_bytes from `at`. Returns the end of the
// arguments, which does not depend on the values, so that the next record need not wait for them.
inline const std::byte* read_integers(const ReadPlan& plan, Value* values, const std::byte* at) {
  const std::byte* tags = at;
  at += plan.tag_bytes;
  const ReadField* f = plan.fields.data();
  const ReadField* const end = f + plan.fields.size();
  if (f == nullptr || values == nullptr) __builtin_unreachable();  // this kind of plan has fields
  for (const ReadPair& two : plan.pairs) {
    const auto pair = static_cast<unsigned>(*tags++);
    const std::byte* value = at;
    at += (*two.lengths)[pair];
    read_integer(pair & 15, f[0], value, values[f[0].field]);
    if (++f == end) break;
    read_integer(pair >> 4, f[0], value, values[f[0].field]);
    ++f;
  }
  return at;
}

// For ReadKind::kSkip with at least plan.quick_bytes from `at`. Null if a tag is invalid.
inline const std::byte* skip_arguments(const ReadPlan& plan, const std::byte* at) {
  unsigned bytes = plan.tag_bytes;
  unsigned all = 0;
  const std::byte* tags = at;
  for (const ReadPair& two : plan.pairs) {
    const unsigned of_pair = (*two.lengths)[static_cast<std::size_t>(*tags++)];
    bytes += of_pair;
    all |= of_pair;
  }
  return (all & kNoSuchTag) == 0 ? at + bytes : nullptr;
}

inline void read_float64(unsigned tag, std::uint64_t* numbers, const std::byte*& at, Value& value) {
  const auto raw = load<std::uint64_t>(at);
  if (tag == kTagNumberSlot) {
    value.f64 = std::bit_cast<double>(numbers[raw & 0xFF]);
    ++at;
  } else if (tag != kTagSame) {
    const std::uint64_t bits = raw << (8 * (8 - tag));
    numbers[number_slot(bits)] = bits;
    value.f64 = std::bit_cast<double>(bits);
    at += tag;
  }
}

// The caller has checked that the tag is valid for the field.
inline void read_scalar(unsigned tag, const ReadField& f, std::uint64_t* numbers,
                        const std::byte*& at, Value* values) {
  if (f.action == ReadAction::kInteger) {
    read_integer(tag, f, at, values[f.field]);
  } else if (f.action == ReadAction::kFloat64) {
    read_float64(tag, numbers, at, values[f.field]);
  } else {
    at += kTagLengths[static_cast<std::size_t>(f.coding)][tag];
  }
}

// For ReadKind::kScalars with at least plan.quick_bytes from `at`. Null if a tag is invalid.
inline const std::byte* read_scalars(const ReadPlan& plan, Value* values, std::uint64_t* numbers,
                                     const std::byte* at) {
  const std::byte* tags = at;
  at += plan.tag_bytes;
  const ReadField* f = plan.fields.data();
  const ReadField* const end = f + plan.fields.size();
  for (const ReadPair& two : plan.pairs) {
    const auto pair = static_cast<unsigned>(*tags++);
    const std::byte* value = at;
    const std::uint8_t bytes = (*two.lengths)[pair];
    if (bytes == kNoSuchTag) [[unlikely]] {
      return nullptr;
    }
    at += bytes;
    if (two.wanted) {
      read_scalar(pair & 15, f[0], numbers, value, values);
      if (end - f > 1) read_scalar(pair >> 4, f[1], numbers, value, values);
    }
    f += 2;
  }
  return at;
}

// For any kind except kAny with at least plan.quick_bytes from `at`. Null if a tag is invalid.
const std::byte* read_numbers(const ReadPlan& plan, const Site& site, Value* values,
                              ValueHistory& history, const std::byte* at);

// For any site and position. Null with *why, a literal, if the bytes up to `end` are not arguments.
const std::byte* read_any_arguments(const ReadPlan& plan, const Site& site, Value* values,
                                    ValueHistory& history, const std::byte* at,
                                    const std::byte* end, const char** why);

}  // namespace ringside::trace
