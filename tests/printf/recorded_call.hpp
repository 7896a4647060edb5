// One printf conversion with its C arguments: snprintf's text, and the values that the library
// would have recorded.
#pragma once

#include <clocale>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <cwchar>
#include <deque>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "shm-layout/printf_error_text.hpp"
#include "shm-layout/printf_fields.hpp"
#include "trace-format/text/message_text.hpp"
#include "trace-format/text/value.hpp"

namespace ringside::test {

struct Stars {
  int count = 0;
  int numbers[2] = {};
};

// snprintf converts wide strings by the locale; the library records UTF-8.
inline void use_utf8_locale() {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): before any thread of the test starts
  if (std::setlocale(LC_ALL, "C.UTF-8") == nullptr) throw std::runtime_error("no locale C.UTF-8");
}

inline std::string utf8(std::uint32_t code) {
  const auto byte = [](std::uint32_t bits) { return static_cast<char>(bits); };
  if (code < 0x80) return {byte(code)};
  if (code < 0x800) return {byte(0xc0 | code >> 6), byte(0x80 | (code & 63))};
  if (code < 0x10000) {
    return {byte(0xe0 | code >> 12), byte(0x80 | (code >> 6 & 63)), byte(0x80 | (code & 63))};
  }
  return {byte(0xf0 | code >> 18), byte(0x80 | (code >> 12 & 63)), byte(0x80 | (code >> 6 & 63)),
          byte(0x80 | (code & 63))};
}

class RecordedCall {
 public:
  template <typename Arg>
  RecordedCall(std::string format, const Stars& stars, Arg arg) : format_(std::move(format)) {
    print(stars, arg);
    const shm::FieldList fields = shm::printf_fields(format_);
    if (!fields.ok()) throw std::runtime_error(format_ + ": " + std::string(message(fields.error)));
    int star = 0;
    for (const shm::PrintfField& field : fields) {
      types_.push_back(field.type);
      if (field.role != shm::PrintfRole::value) {
        values_.push_back(trace::Value::of_signed(field.type, stars.numbers[star++]));
        continue;
      }
      int limit = field.precision_literal;
      if (field.precision_field >= 0) {
        const auto index = static_cast<std::uint8_t>(field.precision_field);
        limit = static_cast<int>(values_[index].i64);
      }
      record(field, limit, arg);
    }
  }

  // The values point into the texts: a move does not relocate them, a copy would.
  RecordedCall(RecordedCall&&) = default;
  RecordedCall& operator=(RecordedCall&&) = delete;

  const std::string& format() const { return format_; }
  const std::string& expected() const { return expected_; }
  std::span<const shm::FieldType> types() const { return types_; }
  std::span<const trace::Value> values() const { return values_; }

  std::string rendered() const {
    std::string why;
    const auto message = trace::MessageFormat::parse(format_, types_, &why);
    if (!message) return "refused: " + why;
    std::string out;
    message->append(out, values_);
    return out;
  }

 private:
  template <typename Arg>
  void print(const Stars& stars, Arg arg) {
    static char buffer[16384];
    const char* const f = format_.c_str();
    const int* const n = stars.numbers;
    int bytes = 0;
    if (stars.count == 0) bytes = std::snprintf(buffer, sizeof buffer, f, arg);
    if (stars.count == 1) bytes = std::snprintf(buffer, sizeof buffer, f, n[0], arg);
    if (stars.count == 2) bytes = std::snprintf(buffer, sizeof buffer, f, n[0], n[1], arg);
    if (bytes < 0 || bytes >= static_cast<int>(sizeof buffer)) {
      throw std::runtime_error("snprintf refuses " + format_);
    }
    expected_.assign(buffer, static_cast<std::size_t>(bytes));
  }

  void record_text(std::string text) {
    // An exactly sized heap block, so that sanitizers report a read past its end.
    std::vector<char> bytes(text.begin(), text.end());
    texts_.push_back(std::move(bytes));
    values_.push_back(trace::Value::of_text(shm::FieldType::string,
                                            {texts_.back().data(), texts_.back().size()}));
  }

  void record_integer(shm::FieldType type, std::uint64_t bits) {
    using trace::Value;
    switch (type) {
      case shm::FieldType::i8:
        return values_.push_back(Value::of_signed(type, static_cast<std::int8_t>(bits)));
      case shm::FieldType::i16:
        return values_.push_back(Value::of_signed(type, static_cast<std::int16_t>(bits)));
      case shm::FieldType::i32:
        return values_.push_back(Value::of_signed(type, static_cast<std::int32_t>(bits)));
      case shm::FieldType::i64:
        return values_.push_back(Value::of_signed(type, static_cast<std::int64_t>(bits)));
      case shm::FieldType::u8:
      case shm::FieldType::character:
        return values_.push_back(Value::of_unsigned(type, static_cast<std::uint8_t>(bits)));
      case shm::FieldType::u16:
        return values_.push_back(Value::of_unsigned(type, static_cast<std::uint16_t>(bits)));
      case shm::FieldType::u32:
        return values_.push_back(Value::of_unsigned(type, static_cast<std::uint32_t>(bits)));
      case shm::FieldType::u64:
        return values_.push_back(Value::of_unsigned(type, bits));
      default:
        throw std::runtime_error("no integer: " + format_);
    }
  }

  template <typename Arg>
  void record(const shm::PrintfField& field, int limit, Arg arg) {
    const auto room = limit < 0 ? std::size_t{1} << 20 : static_cast<std::size_t>(limit);
    if constexpr (std::is_integral_v<Arg>) {
      if (field.wide) return record_text(utf8(static_cast<std::uint32_t>(arg)));
      record_integer(field.type, static_cast<std::uint64_t>(arg));
    } else if constexpr (std::is_same_v<Arg, double>) {
      values_.push_back(trace::Value::of_f64(arg));
    } else if constexpr (std::is_same_v<Arg, long double>) {
      values_.push_back(trace::Value::of_f80(arg));
    } else if constexpr (std::is_same_v<Arg, const void*>) {
      values_.push_back(
          trace::Value::of_unsigned(field.type, reinterpret_cast<std::uintptr_t>(arg)));
    } else if (arg == nullptr) {
      record_text(room >= 6 ? "(null)" : "");
    } else if constexpr (std::is_same_v<Arg, const char*>) {
      record_text({arg, strnlen(arg, room)});
    } else {
      static_assert(std::is_same_v<Arg, const wchar_t*>);
      std::string text;
      for (; *arg != 0; ++arg) {
        const std::string next = utf8(static_cast<std::uint32_t>(*arg));
        if (text.size() + next.size() > room) break;
        text += next;
      }
      record_text(std::move(text));
    }
  }

  std::string format_;
  std::string expected_;
  std::vector<shm::FieldType> types_;
  std::vector<trace::Value> values_;
  std::deque<std::vector<char>> texts_;
};

}  // namespace ringside::test
