// Random values of every type, for a record and for {fmt}.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <initializer_list>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <fmt/args.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "libagent/include/ringside/x87_bytes.h"
#include "tests/printf/recorded_long_double.hpp"
#include "trace-format/text/value.hpp"

namespace ringside::test {

class RandomArguments {
 public:
  explicit RandomArguments(std::mt19937_64& engine) : engine_(engine) {}

  const std::vector<trace::Value>& values() const { return values_; }
  const std::vector<std::string>& names() const { return names_; }
  const fmt::dynamic_format_arg_store<fmt::format_context>& store() const { return store_; }

  int below(int limit) { return static_cast<int>(engine_() % static_cast<std::uint64_t>(limit)); }
  std::string_view pick(std::initializer_list<std::string_view> choices) {
    return std::data(choices)[below(static_cast<int>(choices.size()))];
  }

  // Returns its position.
  int add_field(shm::FieldType type, bool may_have_name, char presentation = '\0') {
    const int index = static_cast<int>(values_.size());
    std::string& name = texts_.emplace_back();
    if (may_have_name && below(2) == 0) name = "field_" + std::to_string(index);
    using shm::FieldType;
    switch (shm::element_type(type)) {
      case FieldType::boolean:
        add_number<bool>(type, name);
        break;
      case FieldType::character:
        add_number<char>(type, name);
        break;
      case FieldType::i8:
        add_number<signed char>(type, name);
        break;
      case FieldType::i16:
        add_number<std::int16_t>(type, name);
        break;
      case FieldType::i32:
        add_number<std::int32_t>(type, name);
        break;
      case FieldType::i64:
        add_number<std::int64_t>(type, name);
        break;
      case FieldType::i128:
        add_number<trace::Int128>(type, name);
        break;
      case FieldType::u8:
        add_number<unsigned char>(type, name);
        break;
      case FieldType::u16:
        add_number<std::uint16_t>(type, name);
        break;
      case FieldType::u32:
        add_number<std::uint32_t>(type, name);
        break;
      case FieldType::u64:
        add_number<std::uint64_t>(type, name);
        break;
      case FieldType::u128:
        add_number<trace::UInt128>(type, name);
        break;
      case FieldType::f32:
        add_number<float>(type, name);
        break;
      case FieldType::f64:
        add_number<double>(type, name);
        break;
      case FieldType::f80:
        add_number<long double>(type, name);
        break;
      case FieldType::pointer:
        add_number<const void*>(type, name);
        break;
      case FieldType::enumeration:
        add_enumeration(name, presentation);
        break;
      case FieldType::bytes:
        add_text(shm::is_array(type) ? shm::array_of(FieldType::string) : type, name);
        break;
      default:
        add_text(type, name);
    }
    return index;
  }

  int add_width(bool may_have_name) {
    const int index = static_cast<int>(values_.size());
    std::string& name = texts_.emplace_back();
    if (may_have_name && below(2) == 0) name = "width_" + std::to_string(index);
    const int width = below(below(30) == 0 ? 1000 : 30);
    if (below(2) == 0) {
      add(Value::of_signed(FieldType::i64, width), std::int64_t{width}, name);
    } else {
      add(Value::of_unsigned(FieldType::u8, width & 0xff), static_cast<unsigned char>(width), name);
    }
    return index;
  }

 private:
  using FieldType = shm::FieldType;
  using Value = trace::Value;

  std::uint64_t bits() { return engine_() >> below(64); }

  // Strings with each kind of character that width, precision and escapes treat differently.
  std::string string() {
    std::string text;
    for (int left = below(below(50) == 0 ? 2000 : 15); left > 0; --left) {
      switch (below(8)) {
        case 0:
          text += pick({"\xc3\xa9", "\xe2\x82\xac", "\xe6\x97\xa5", "\xf0\x9f\x98\x80",
                        "\xef\xbc\xa1", "\xe2\x80\x8b", "e\xcc\x81"});
          break;
        case 1:
          text += pick({"\n", "\t", "\"", "\\", "'", "\x01", "\x7f"});
          break;
        default:
          text += static_cast<char>(' ' + below(95));
      }
    }
    if (below(20) == 0) text += static_cast<char>(0x80 + below(128));
    if (below(20) == 0) text += '\0';
    return text;
  }

  double real() {
    switch (below(5)) {
      case 0:
        return std::bit_cast<double>(engine_());
      case 1:
        return static_cast<double>(static_cast<std::int64_t>(bits() >> 12)) / (1 << below(12));
      case 2: {
        static const double kPowers[] = {1, 1e1, 1e2, 1e3, 1e6, 1e9, 1e-5, 1e-9, 1e15, 1e22};
        return below(1'000'000) / kPowers[below(10)];
      }
      case 3:
        return -static_cast<double>(bits());
      default:
        return below(2000) / 8.0 - 100;
    }
  }

  template <typename Number>
  Number number() {
    if constexpr (std::is_same_v<Number, bool>) {
      return below(2) == 0;
    } else if constexpr (std::is_same_v<Number, const void*>) {
      return reinterpret_cast<const void*>(below(4) == 0 ? 0 : bits());
    } else if constexpr (std::is_same_v<Number, float>) {
      return below(2) == 0 ? std::bit_cast<float>(static_cast<std::uint32_t>(engine_()))
                           : static_cast<float>(real());
    } else if constexpr (std::is_same_v<Number, double>) {
      return real();
    } else if constexpr (std::is_same_v<Number, long double>) {
      return recorded_long_double(static_cast<long double>(real()) / 3);
    } else {
      const auto low = below(2) == 0 ? bits() : 0 - bits();
      if constexpr (sizeof(Number) == 16) {
        const auto wide = static_cast<trace::UInt128>(low) * (below(2) == 0 ? 1 : engine_());
        return static_cast<Number>(below(2) == 0 ? wide : 0 - wide);
      }
      return static_cast<Number>(low);
    }
  }

  // A number as a record stores it.
  template <typename Number>
  static std::string stored(const Number& number) {
    if constexpr (std::is_same_v<Number, long double>) {
      unsigned char bytes[RS_X87_BYTES];
      rs_store_x87(bytes, &number);
      return {reinterpret_cast<const char*>(bytes), sizeof bytes};
    } else {
      std::string bytes(sizeof number, '\0');
      std::memcpy(bytes.data(), &number, bytes.size());
      return bytes;
    }
  }

  template <typename Number>
  void add_number(FieldType type, const std::string& name) {
    if (shm::is_array(type)) {
      std::deque<Number> numbers;
      std::string& bytes = texts_.emplace_back();
      for (int left = below(5); left > 0; --left)
        bytes += stored(numbers.emplace_back(number<Number>()));
      add(Value::of_array(type, bytes, static_cast<std::uint32_t>(numbers.size())), numbers, name);
      return;
    }
    const auto value = number<Number>();
    Value recorded = Value::of_halves(type, 0, 0);
    const std::string bytes = stored(value);
    std::memcpy(&recorded.u64, bytes.data(), std::min<std::size_t>(bytes.size(), 8));
    if (bytes.size() > 8) std::memcpy(&recorded.high, bytes.data() + 8, bytes.size() - 8);
    if constexpr (std::is_signed_v<Number> && sizeof(Number) < 8) {
      // NOLINTNEXTLINE(bugprone-signed-char-misuse): i8 is a number, not a character
      if (shm::is_signed(type)) recorded.i64 = static_cast<std::int64_t>(value);
    }
    add(recorded, value, name);
  }

  static std::string hex(std::string_view bytes) {
    std::string text;
    for (const char byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
    return text;
  }

  void add_text(FieldType type, const std::string& name) {
    if (shm::is_array(type)) {
      std::deque<std::string> strings;
      std::string& bytes = texts_.emplace_back();
      for (int left = below(5); left > 0; --left) {
        const std::string text = string();
        bytes += stored(static_cast<std::uint32_t>(text.size())) + text;
        strings.push_back(text);
      }
      add(Value::of_array(type, bytes, static_cast<std::uint32_t>(strings.size())), strings, name);
      return;
    }
    const std::string& text = texts_.emplace_back(string());
    if (type == FieldType::bytes) return add(Value::of_text(type, text), hex(text), name);
    add(Value::of_text(type, text), text, name);
  }

  template <typename Argument>
  void add(const Value& value, const Argument& argument, const std::string& name) {
    values_.push_back(value);
    names_.push_back(name);
    if (name.empty()) return store_.push_back(argument);
    store_.push_back(fmt::arg(name.c_str(), argument));
  }

  // The shown form of an enumeration depends on the placeholder, so only one may use it.
  void add_enumeration(const std::string& name, char type) {
    const auto code = static_cast<std::int64_t>(bits());
    const std::string& text = texts_.emplace_back(below(3) == 0 ? "" : string());
    const Value value = Value::of_enumeration(code, text);
    if (std::string_view("dxXobBc").find(type) != std::string_view::npos) {
      return add(value, code, name);
    }
    add(value, text.empty() ? std::to_string(code) : text, name);
  }

  std::mt19937_64& engine_;
  std::vector<Value> values_;
  std::vector<std::string> names_;
  std::deque<std::string> texts_;  // of the values
  fmt::dynamic_format_arg_store<fmt::format_context> store_;
};

}  // namespace ringside::test
