#include "libagent/statements/value_piece.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace ringside {
namespace {

template <class Number>
bool is_in_range(std::int64_t integer) {
  return integer >= std::int64_t{std::numeric_limits<Number>::min()} &&
         integer <= std::int64_t{std::numeric_limits<Number>::max()};
}

bool is_in_range(std::int64_t integer, shm::FieldType type) {
  switch (type) {
    case shm::FieldType::boolean:
      return integer == 0 || integer == 1;
    case shm::FieldType::character:
      return is_in_range<std::int8_t>(integer) || is_in_range<std::uint8_t>(integer);
    case shm::FieldType::i8:
      return is_in_range<std::int8_t>(integer);
    case shm::FieldType::i16:
      return is_in_range<std::int16_t>(integer);
    case shm::FieldType::i32:
      return is_in_range<std::int32_t>(integer);
    case shm::FieldType::u8:
      return is_in_range<std::uint8_t>(integer);
    case shm::FieldType::u16:
      return is_in_range<std::uint16_t>(integer);
    case shm::FieldType::u32:
      return is_in_range<std::uint32_t>(integer);
    default:
      return true;  // 64 bits
  }
}

bool is_whole_number(shm::FieldType type) {
  return shm::is_integer(type) || type == shm::FieldType::boolean ||
         type == shm::FieldType::character || type == shm::FieldType::pointer;
}

bool takes_all_64_bits(shm::FieldType type) {
  return type == shm::FieldType::u64 || type == shm::FieldType::pointer;
}

bool is_floating(shm::FieldType type) {
  return type == shm::FieldType::f32 || type == shm::FieldType::f64;
}

}  // namespace

std::uint64_t text_limit(std::span<const shm::PrintfField> conversions, std::size_t index,
                         std::span<const rs_value> values) {
  std::int64_t limit = -1;
  if (index < conversions.size()) {
    const shm::PrintfField& conversion = conversions[index];
    limit = conversion.precision_literal;
    if (conversion.precision_field >= 0) {
      limit = values[static_cast<std::size_t>(conversion.precision_field)].integer;
    }
  }
  // A larger record than a piece can describe is cut anyway.
  return limit >= 0 ? static_cast<std::uint64_t>(limit) : std::numeric_limits<std::uint32_t>::max();
}

bool convert_value(const rs_value& value, shm::FieldType type, std::uint64_t limit,
                   NumberPlace* number, rs_piece* piece) {
  if (value.type != shm::code(type)) return false;
  if (shm::is_variable_length(type)) {
    if (value.data == nullptr && value.bytes != 0) return false;
    piece->data = value.data != nullptr ? value.data : "";
    piece->bytes = static_cast<std::uint32_t>(std::min(value.bytes, limit));
    piece->form = type == shm::FieldType::bytes ? RS_PIECE_BYTES : RS_PIECE_TEXT;
    return true;
  }
  piece->data = number->data();
  piece->bytes = static_cast<std::uint32_t>(shm::fixed_size(type));
  piece->form = RS_PIECE_PLAIN;
  if (type == shm::FieldType::f32) {
    const auto narrow = static_cast<float>(value.number);
    std::memcpy(number->data(), &narrow, sizeof narrow);
  } else if (type == shm::FieldType::f64) {
    std::memcpy(number->data(), &value.number, sizeof value.number);
  } else if (is_in_range(value.integer, type)) {
    std::memcpy(number->data(), &value.integer, sizeof value.integer);  // the low bytes first
  } else {
    return false;
  }
  return true;
}

bool convert_any_number(const rs_value& value, shm::FieldType type, std::uint64_t limit,
                        NumberPlace* number, rs_piece* piece) {
  if (value.type > shm::kLastFieldType) return false;
  const auto given = static_cast<shm::FieldType>(value.type);
  rs_value same = value;
  if (is_whole_number(given) && is_whole_number(type)) {
    // The sign bit of the word is that of the number, or makes it larger than any i64.
    const bool is_large = value.integer < 0 && takes_all_64_bits(given);
    const bool is_negative = value.integer < 0 && !is_large;
    if (is_large && !takes_all_64_bits(type)) return false;
    if (is_negative && takes_all_64_bits(type)) return false;
    same.type = shm::code(type);
  } else if (is_floating(given) && is_floating(type)) {
    same.type = shm::code(type);
  }
  return convert_value(same, type, limit, number, piece);
}

}  // namespace ringside
