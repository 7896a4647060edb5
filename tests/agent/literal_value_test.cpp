// The values of literals, from their source text; and which texts are literals at compile time.

#include "libagent/description/literal_value.hpp"

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "libagent/include/ringside/literal_text.hpp"

namespace ringside::test {
namespace {

using shm::FieldType;

bool is_literal(std::string_view text, FieldType type) {
  return detail::LiteralText(text, 0, static_cast<std::uint32_t>(text.size())).is_literal(type);
}

template <class T>
void expect_value(std::string_view text, FieldType type, T expected) {
  EXPECT_TRUE(is_literal(text, type)) << text;
  const std::optional<std::string> bytes = literal_value(text, type);
  ASSERT_TRUE(bytes) << text;
  ASSERT_EQ(bytes->size(), sizeof expected) << text;
  T value{};
  std::memcpy(&value, bytes->data(), sizeof value);
  EXPECT_EQ(value, expected) << text;
}

void expect_text(std::string_view text, std::string_view expected) {
  EXPECT_TRUE(is_literal(text, FieldType::string)) << text;
  EXPECT_EQ(literal_value(text, FieldType::string), expected) << text;
}

TEST(LiteralValue, ReadsIntegersOfEveryBase) {
  expect_value("42", FieldType::i32, std::int32_t{42});
  expect_value("-42", FieldType::i32, std::int32_t{-42});
  expect_value("- 1", FieldType::i64, std::int64_t{-1});
  expect_value("+0", FieldType::i32, std::int32_t{0});
  expect_value("0x1F'FFu", FieldType::u32, std::uint32_t{0x1FFF});
  expect_value("0b1011", FieldType::i32, std::int32_t{11});
  expect_value("0755", FieldType::i32, std::int32_t{0755});
  expect_value("18'446'744'073'709'551'615ULL", FieldType::u64, UINT64_MAX);
  expect_value("2147483648", FieldType::i64, std::int64_t{2147483648});
  expect_value("10uz", FieldType::u64, std::uint64_t{10});
}

TEST(LiteralValue, ReadsFloatingPointNumbers) {
  expect_value("1.5", FieldType::f64, 1.5);
  expect_value("-.25", FieldType::f64, -0.25);
  expect_value("1.", FieldType::f64, 1.0);
  expect_value("1e-3", FieldType::f64, 1e-3);
  expect_value("1'000.5E+2", FieldType::f64, 100050.0);
  expect_value("0.1f", FieldType::f32, 0.1F);
}

TEST(LiteralValue, ReadsWordsAndCharacters) {
  expect_value("true", FieldType::boolean, true);
  expect_value("false", FieldType::boolean, false);
  expect_value("'x'", FieldType::character, 'x');
  expect_value("'\\n'", FieldType::character, '\n');
  expect_value("'\\''", FieldType::character, '\'');
  expect_value("'\\x41'", FieldType::character, 'A');
}

TEST(LiteralValue, ReadsTextsAsTheCompilerDoes) {
  expect_text("\"\"", "");
  expect_text("\"a\\\"b\\\\c\"", "a\"b\\c");
  expect_text("\"one \" \"two\"", "one two");
  expect_text("\"\\t\\x41\\101\\u00e9\\U0001F600\\e\"", "\tAA\u00e9\U0001F600\x1B");
  expect_text("\"ends\\0here\"", "ends");
  expect_text("\"a, b)\"", "a, b)");
}

TEST(LiteralValue, TakesTheArgumentOutOfItsMacro) {
  EXPECT_EQ(literal_text(" RS_NAMED(\"n, x\", 5) "), "5");
  EXPECT_EQ(literal_text("RS_NAMED (\"n\", \"a, b\")"), "\"a, b\"");
  EXPECT_EQ(literal_text("RS_ARG( 7 )"), "7");
  EXPECT_EQ(literal_text(" -1 "), "-1");
}

TEST(LiteralText, RefusesWhatTheLibraryDoesNotRead) {
  for (const char* const text :
       {"", "x", "1 + 1", "5_km", "0x1p3", "10ms", "- - 1", "0x1g", "1.5l"}) {
    EXPECT_FALSE(is_literal(text, FieldType::i32) && is_literal(text, FieldType::f64)) << text;
  }
  for (const char* const text : {"L\"x\"", "R\"(x)\"", "\"x\"s", "\"x\" MACRO", "\"x", "u8\"x\""}) {
    EXPECT_FALSE(is_literal(text, FieldType::string)) << text;
  }
  EXPECT_FALSE(is_literal("'ab'", FieldType::i32));  // its type is int
  EXPECT_FALSE(is_literal("\"x\"", FieldType::boolean));
  EXPECT_FALSE(is_literal("truest", FieldType::boolean));
}

}  // namespace
}  // namespace ringside::test
