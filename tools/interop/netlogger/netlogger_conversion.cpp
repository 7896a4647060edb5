#include "tools/interop/netlogger/netlogger_conversion.hpp"

#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <system_error>

#include "shm-layout/printf_fields.hpp"

namespace ringside::tool::netlogger {
namespace {

using shm::FieldType;

bool is_number(FieldType type) {
  return type == FieldType::i32 || type == FieldType::u32 || type == FieldType::i64 ||
         type == FieldType::u64;
}

bool is_narrow_integer(FieldType type) {
  return shm::is_integer(type) && type != FieldType::i128 && type != FieldType::u128;
}

bool is_float(FieldType type) {
  return type == FieldType::f32 || type == FieldType::f64 || type == FieldType::f80;
}

bool can_become(FieldType from, FieldType to) {
  if (is_number(from)) return is_narrow_integer(to);
  if (is_float(from)) return is_float(to);
  // Wide integers, pointers, characters and large floating-point numbers are sent as texts.
  return from == FieldType::string &&
         (to == FieldType::string || to == FieldType::pointer || to == FieldType::character ||
          is_narrow_integer(to) || is_float(to));
}

template <class Number, class... How>
Number parsed(std::string_view text, bool* fits, How... how) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number, how...);
  if (error != std::errc() || stop != end) *fits = false;
  return number;
}

trace::Value float_as(const FieldValue& value, FieldType type, bool* fits) {
  double number = 0;
  if (value.type == FieldType::f32) {
    number = static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(value.bits)));
  } else if (value.type == FieldType::f64) {
    number = std::bit_cast<double>(value.bits);
  } else {
    number = parsed<double>(value.text, fits);
  }
  if (type == FieldType::f32) return trace::Value::of_f32(static_cast<float>(number));
  if (type == FieldType::f64) return trace::Value::of_f64(number);
  return trace::Value::of_f80(static_cast<long double>(number));
}

trace::Value integer_as(const FieldValue& value, FieldType type, bool* fits) {
  std::uint64_t bits = value.bits;
  bool is_negative = shm::is_signed(value.type) && static_cast<std::int64_t>(bits) < 0;
  if (value.type == FieldType::string) {
    is_negative = value.text.substr(0, 1) == "-";
    bits = is_negative ? static_cast<std::uint64_t>(parsed<std::int64_t>(value.text, fits))
                       : parsed<std::uint64_t>(value.text, fits);
  }
  const bool is_signed = shm::is_signed(type);
  const std::size_t bytes = shm::fixed_size(type);
  const std::size_t unused = bytes > 0 && bytes < sizeof bits ? 64 - 8 * bytes : 0;
  // The value that a reader of the low bytes alone would get.
  const std::uint64_t kept =
      is_signed ? static_cast<std::uint64_t>(static_cast<std::int64_t>(bits << unused) >> unused)
                : bits << unused >> unused;
  const bool stays_negative = is_signed && static_cast<std::int64_t>(kept) < 0;
  if (kept != bits || is_negative != stays_negative) *fits = false;
  return is_signed ? trace::Value::of_signed(type, static_cast<std::int64_t>(kept))
                   : trace::Value::of_unsigned(type, kept);
}

// A conversion without a length modifier may have recorded 64 bits.
FieldType type_for(const shm::PrintfField& wanted, FieldType from) {
  return from == FieldType::i32 || from == FieldType::u32 ? wanted.type : shm::widest_type(wanted);
}

}  // namespace

bool take_types_of_format(SiteDefinition& site) {
  if (site.style != shm::FormatStyle::printf) return false;
  const shm::FieldList wanted = shm::printf_fields(site.format);
  if (!wanted.ok() || wanted.count != site.fields.size()) return false;
  for (std::size_t i = 0; i < site.fields.size(); ++i) {
    if (site.fields[i].constant || !can_become(site.fields[i].type, wanted[i].type)) return false;
  }
  for (std::size_t i = 0; i < site.fields.size(); ++i) {
    site.fields[i].type = type_for(wanted[i], site.fields[i].type);
    site.fields[i].is_format_argument = wanted[i].role != shm::PrintfRole::value;
  }
  return true;
}

trace::Value value_as(const FieldValue& value, FieldType type, bool* fits) {
  if (is_float(type)) return float_as(value, type, fits);
  if (type == FieldType::string) return trace::Value::of_text(type, value.text);
  if (type == FieldType::character) {
    if (value.text.size() != 1) *fits = false;
    const auto code = value.text.empty() ? 0 : static_cast<unsigned char>(value.text[0]);
    return trace::Value::of_unsigned(type, static_cast<std::uint64_t>(code));
  }
  if (type == FieldType::pointer) {
    if (value.text.substr(0, 2) != "0x") return trace::Value::of_unsigned(type, 0);  // "(nil)"
    return trace::Value::of_unsigned(type, parsed<std::uint64_t>(value.text.substr(2), fits, 16));
  }
  return integer_as(value, type, fits);
}

}  // namespace ringside::tool::netlogger
