#include "tools/interop/nettrace/nettrace_nested_text.hpp"

#include <cmath>
#include <cstdint>
#include <iterator>
#include <optional>
#include <type_traits>

#include <fmt/format.h>

#include "tools/interop/nettrace/nettrace_decimal.hpp"
#include "tools/interop/nettrace/nettrace_facts.hpp"
#include "tools/interop/nettrace/nettrace_values.hpp"
#include "tools/interop/nettrace/utf16_text.hpp"
#include "trace-format/blocks/little_endian.hpp"
#include "trace-format/lines/json_text.hpp"

namespace ringside::tool::nettrace {
namespace {

class Rendering {
 public:
  Rendering(std::span<const std::byte> payload, std::size_t most_bytes, std::string& text,
            ConversionReport& report)
      : payload_(payload), end_(text.size() + most_bytes), text_(text), report_(report) {}

  void append(const MetadataField& field) {
    switch (field.type) {
      case TypeCode::kBoolean:
        text_ += take<std::uint32_t>() != 0 ? "true" : "false";
        return;
      case TypeCode::kSByte:
        return append_number(take<std::int8_t>());
      case TypeCode::kByte:
        return append_number(take<std::uint8_t>());
      case TypeCode::kInt16:
        return append_number(take<std::int16_t>());
      case TypeCode::kChar:
      case TypeCode::kUInt16:
        return append_number(take<std::uint16_t>());
      case TypeCode::kInt32:
        return append_number(take<std::int32_t>());
      case TypeCode::kUInt32:
        return append_number(take<std::uint32_t>());
      case TypeCode::kInt64:
        return append_number(take<std::int64_t>());
      case TypeCode::kUInt64:
      case TypeCode::kDateTime:
        return append_number(take<std::uint64_t>());
      case TypeCode::kSingle:
        return append_number(take<float>());
      case TypeCode::kDouble:
        return append_number(take<double>());
      case TypeCode::kDecimal:
        return append_decimal(bytes(field.fixed_bytes));
      case TypeCode::kGuid:
        text_ += '"' + guid_text(bytes(field.fixed_bytes)) + '"';
        return;
      case TypeCode::kString:
        return append_string();
      case TypeCode::kArray:
        return append_array(field.parts.front());
      case TypeCode::kObject:
        return append_object(field.parts);
    }
  }

 private:
  bool is_full() const { return text_.size() >= end_; }

  std::span<const std::byte> bytes(std::size_t count) {
    const std::span<const std::byte> taken = payload_.first(count);
    payload_ = payload_.subspan(count);
    return taken;
  }
  template <class Number>
  Number take() {
    return trace::load<Number>(bytes(sizeof(Number)).data());
  }

  template <class Number>
  void append_number(Number number) {
    if constexpr (std::is_floating_point_v<Number>) {
      if (!std::isfinite(number)) {
        text_ += std::isnan(number) ? "\"NaN\"" : number < 0 ? "\"-Infinity\"" : "\"Infinity\"";
        return;
      }
    }
    fmt::format_to(std::back_inserter(text_), "{}", number);
  }

  void append_decimal(std::span<const std::byte> bytes) {
    if (const std::optional<Decimal> decimal = Decimal::read(bytes)) {
      text_ += decimal->text();
    } else {
      append_hexadecimal(bytes);
    }
  }

  void append_hexadecimal(std::span<const std::byte> bytes) {
    text_ += "\"0x";
    for (const std::byte byte : bytes) {
      fmt::format_to(std::back_inserter(text_), "{:02x}", static_cast<unsigned>(byte));
    }
    text_ += '"';
  }

  void append_string() {
    std::string string;
    const std::size_t length = utf16_text_bytes(payload_);
    if (!append_utf8_of_utf16(string, bytes(length))) report_.lost(kLoneSurrogates);
    bytes(2);
    text_ += trace::quoted_json_text(string);
  }

  void append_array(const MetadataField& element) {
    const auto count = take<std::uint16_t>();
    text_ += '[';
    for (std::uint16_t i = 0; i < count && !is_full(); ++i) {
      if (i != 0) text_ += ',';
      append(element);
    }
    text_ += ']';
  }

  void append_object(const std::vector<MetadataField>& parts) {
    text_ += '{';
    for (std::size_t i = 0; i < parts.size() && !is_full(); ++i) {
      if (i != 0) text_ += ',';
      text_ += trace::quoted_json_text(parts[i].name) + ':';
      append(parts[i]);
    }
    text_ += '}';
  }

  std::span<const std::byte> payload_;
  std::size_t end_;
  std::string& text_;
  ConversionReport& report_;
};

}  // namespace

void append_nested_text(const MetadataField& field, std::span<const std::byte> payload,
                        std::size_t most_bytes, std::string& text, ConversionReport& report) {
  Rendering(payload, most_bytes, text, report).append(field);
}

}  // namespace ringside::tool::nettrace
