// Arguments as JSON, read back by another implementation.
#include "trace-format/lines/json_value.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/trace-format/ring_bytes.hpp"
#include "trace-format/lines/json_text.hpp"

namespace ringside::tool {
namespace {

using nlohmann::json;
using shm::FieldType;
using trace::Value;
using trace::testing::raw_text;

std::string json_of(const Value& value) {
  trace::TextSink out;
  trace::append_json_value(out, value);
  return std::string(out.text());
}

json read_back(const Value& value) {
  return json::parse("[" + json_of(value) + "]").at(0);
}

std::string from_base64(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bits;
  for (const char c : text) {
    if (c == '=') break;
    for (int bit = 5; bit >= 0; --bit) bits += (digits.find(c) >> bit & 1) != 0 ? '1' : '0';
  }
  std::string bytes;
  for (std::size_t i = 0; i + 8 <= bits.size(); i += 8) {
    bytes += static_cast<char>(std::stoi(bits.substr(i, 8), nullptr, 2));
  }
  return bytes;
}

trace::UInt128 from_decimal(std::string_view digits) {
  trace::UInt128 number = 0;
  for (const char c : digits) number = number * 10 + static_cast<unsigned>(c - '0');
  return number;
}

TEST(JsonValue, FloatingNumbersHaveNoMoreDigitsThanAnIntegerOfAnyReader) {
  EXPECT_EQ(json_of(Value::of_f64(0.00012345678901234567)), "1.2345678901234567e-04");
  EXPECT_EQ(json_of(Value::of_f64(1.2345678901234567e19)), "1.2345678901234567e+19");
  EXPECT_EQ(json_of(Value::of_f64(-0.12345678901234568)), "-0.12345678901234568");
  std::mt19937_64 any(1);
  for (int i = 0; i < 20'000; ++i) {
    const double number =
        std::ldexp(static_cast<double>(any()), static_cast<int>(any() % 200) - 160);
    const std::string text = json_of(Value::of_f64(number));
    EXPECT_EQ(read_back(Value::of_f64(number)).get<double>(), number);
    std::size_t digits = 0;
    for (const char c : text) {
      digits = c >= '0' && c <= '9' ? digits + 1 : 0;
      EXPECT_LE(digits, 18U) << text;
    }
  }
}

TEST(JsonValue, KeepsEveryIntegerExactly) {
  std::mt19937_64 any(1);
  for (int i = 0; i < 2'000; ++i) {
    const std::uint64_t low = any() >> any() % 64;
    const std::uint64_t high = any() >> any() % 64;
    EXPECT_EQ(read_back(Value::of_unsigned(FieldType::u64, low)).get<std::uint64_t>(), low);
    const auto number = static_cast<std::int64_t>(any() % 2 == 0 ? low : 0 - low);
    EXPECT_EQ(read_back(Value::of_signed(FieldType::i64, number)).get<std::int64_t>(), number);
    const auto wide = static_cast<trace::UInt128>(high) << 64 | low;
    EXPECT_EQ(from_decimal(json_of(Value::of_halves(FieldType::u128, low, high))), wide);
    const std::string text = json_of(Value::of_halves(FieldType::i128, low, high));
    EXPECT_EQ(text[0] == '-' ? 0 - from_decimal(text.substr(1)) : from_decimal(text), wide);
    EXPECT_TRUE(json::accept(text));
  }
  EXPECT_EQ(json_of(Value::of_halves(FieldType::i128, 0, std::uint64_t{1} << 63)),
            "-170141183460469231731687303715884105728");
}

TEST(JsonValue, KeepsEveryFloatingNumber) {
  std::mt19937_64 any(2);
  for (int i = 0; i < 5'000; ++i) {
    const std::uint64_t bits = any();
    double number = 0;
    std::memcpy(&number, &bits, sizeof number);
    if (!std::isfinite(number)) continue;
    const json back = read_back(Value::of_f64(number));
    EXPECT_TRUE(back.is_number_float()) << number;
    EXPECT_EQ(back.get<double>(), number);
    const auto narrow = static_cast<float>(std::ldexp(number, -static_cast<int>(any() % 900)));
    if (std::isfinite(narrow)) {
      EXPECT_EQ(read_back(Value::of_f32(narrow)).get<float>(), narrow);
    }
  }
  EXPECT_EQ(json_of(Value::of_f64(3)), "3.0");
  EXPECT_EQ(json_of(Value::of_f64(-0.0)), "-0.0");
  EXPECT_EQ(json_of(Value::of_f64(1e300)), "1e+300");
  EXPECT_EQ(json_of(Value::of_f64(std::numeric_limits<double>::quiet_NaN())), "\"NaN\"");
  EXPECT_EQ(json_of(Value::of_f32(std::numeric_limits<float>::infinity())), "\"Infinity\"");
  EXPECT_EQ(json_of(Value::of_f80(-std::numeric_limits<long double>::infinity())), "\"-Infinity\"");
  EXPECT_EQ(json_of(Value::of_f80(0.1L)), "0.100000000000000000001");
  EXPECT_EQ(json_of(Value::of_f80(0x1p1024L)), "\"1.79769313486231590773e+308\"")
      << "more than a double holds";
  for (int i = 0; i < 5'000; ++i) {
    EXPECT_NO_THROW(read_back(Value::of_halves(FieldType::f80, any(), any())));
  }
}

TEST(JsonValue, ShowsOtherTypesAsDocumented) {
  EXPECT_EQ(json_of(Value::of_unsigned(FieldType::boolean, 1)), "true");
  EXPECT_EQ(json_of(Value::of_unsigned(FieldType::character, 'x')), "\"x\"");
  EXPECT_EQ(json_of(Value::of_unsigned(FieldType::character, 0xE4)), "\"\uFFFD\"");
  EXPECT_EQ(json_of(Value::of_unsigned(FieldType::pointer, 0x7FFF12)), "\"0x7fff12\"");
  EXPECT_EQ(json_of(Value::of_unsigned(FieldType::pointer, 0)), "\"0x0\"");
  EXPECT_EQ(json_of(Value::of_enumeration(2, "green")), "\"green\"");
  EXPECT_EQ(json_of(Value::of_enumeration(-7, "")), "-7");
  EXPECT_EQ(json_of(Value::of_array(shm::array_of(FieldType::i8), "\x01\xff", 2)), "[1,-1]");
  EXPECT_EQ(
      json_of(Value::of_array(shm::array_of(FieldType::string), raw_text("a\"") + raw_text(""), 2)),
      R"(["a\"",""])");
  EXPECT_EQ(json_of(Value::of_array(shm::array_of(FieldType::u64), "abc", UINT32_MAX)), "[]")
      << "bytes beyond the count";
  EXPECT_EQ(json_of(Value{}), "null");
  Value undefined;
  undefined.type = static_cast<FieldType>(99);
  EXPECT_EQ(json_of(undefined), "null");
}

TEST(JsonValue, EncodesBytesInBase64) {
  const auto base64 = [](std::string_view bytes) {
    return read_back(Value::of_text(FieldType::bytes, bytes)).get<std::string>();
  };
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  std::mt19937_64 any(3);
  for (int i = 0; i < 500; ++i) {
    std::string bytes(any() % 50, '\0');
    for (char& c : bytes) c = static_cast<char>(any());
    EXPECT_EQ(from_base64(base64(bytes)), bytes);
  }
}

TEST(JsonValue, KeepsEveryValidText) {
  for (const std::string text : {"", "a\"b\\c/d", "\b\f\n\r\t\x1b\x7f", "\u0080\u009F\u00A0\u65E5",
                                 "\U0001F600\U0010FFFF", "\u2028\uFFFF"}) {
    EXPECT_EQ(read_back(Value::of_text(FieldType::string, text)).get<std::string>(), text);
  }
  const std::string zero("\0x\0", 3);
  EXPECT_EQ(read_back(Value::of_text(FieldType::string, zero)).get<std::string>(), zero);
}

TEST(JsonValue, ReplacesEachInvalidByte) {
  EXPECT_EQ(trace::quoted_json_text("a\xFFz\xC3"), "\"a\uFFFDz\uFFFD\"");
  EXPECT_EQ(trace::quoted_json_text("\xED\xA0\x80"), "\"\uFFFD\uFFFD\uFFFD\"") << "a surrogate";
  EXPECT_EQ(trace::quoted_json_text("\xE2\x82|\xF0\x9F\x98|\xF1\x80|\xF0"),
            "\"\uFFFD|\uFFFD|\uFFFD|\uFFFD\"")
      << "one for each that is cut";
  EXPECT_EQ(trace::quoted_json_text("\xF4\x90|\xE0\x80\x80"), "\"\uFFFD\uFFFD|\uFFFD\uFFFD\uFFFD\"")
      << "not the beginning of a character";
  std::mt19937_64 any(4);
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes(any() % 30, '\0');
    for (char& c : bytes) c = static_cast<char>(any() % 3 == 0 ? 0xC0 + any() % 64 : any() % 256);
    const std::string text = trace::quoted_json_text(bytes);
    ASSERT_TRUE(json::accept(text)) << text;
    for (const char c : text) ASSERT_GE(static_cast<unsigned char>(c), 0x20);
    trace::TextSink in_place;
    in_place.write("\"" + bytes);
    trace::make_json_text(in_place, 1);
    in_place.put('"');
    ASSERT_EQ(in_place.text(), text);
  }
}

}  // namespace
}  // namespace ringside::tool
