#include "trace-format/query/field_reader.hpp"

namespace ringside::trace::query {

using shm::FieldType;

std::string_view type_that_takes(FieldType type) {
  if (shm::is_array(type)) {
    switch (shm::element_type(type)) {
      case FieldType::boolean:
      case FieldType::u8:
        return "std::span<const std::uint8_t>";
      case FieldType::character:
        return "std::span<const char>";
      case FieldType::i8:
        return "std::span<const std::int8_t>";
      case FieldType::i16:
        return "std::span<const std::int16_t>";
      case FieldType::i32:
        return "std::span<const std::int32_t>";
      case FieldType::i64:
        return "std::span<const std::int64_t>";
      case FieldType::u16:
        return "std::span<const std::uint16_t>";
      case FieldType::u32:
        return "std::span<const std::uint32_t>";
      case FieldType::u64:
        return "std::span<const std::uint64_t>";
      case FieldType::f32:
        return "std::span<const float>";
      case FieldType::f64:
        return "std::span<const double>";
      default:
        return {};  // RecordInfo::value() has it
    }
  }
  constexpr std::string_view kTypes[] = {
      {},
      "bool",
      "char",
      "std::int8_t",
      "std::int16_t",
      "std::int32_t",
      "std::int64_t",
      "Int128",
      "std::uint8_t",
      "std::uint16_t",
      "std::uint32_t",
      "std::uint64_t",
      "UInt128",
      "float",
      "double",
      "long double",
      "std::uint64_t",
      "std::string_view",
      "std::span<const std::byte>",
      "EnumValue",
  };
  return type <= FieldType::enumeration ? kTypes[shm::code(type)] : std::string_view();
}

double rounded(const Value& value) {
  switch (value.type) {
    case FieldType::f32:
      return static_cast<double>(value.f32);
    case FieldType::f64:
      return value.f64;
    case FieldType::f80:
      return static_cast<double>(value.as_f80().value_or(0));
    case FieldType::i128:
      return static_cast<double>(value.as_i128().value_or(0));
    case FieldType::u128:
      return static_cast<double>(value.as_u128().value_or(0));
    default:
      return shm::is_signed(value.type) ? static_cast<double>(value.i64)
                                        : static_cast<double>(value.u64);
  }
}

}  // namespace ringside::trace::query
