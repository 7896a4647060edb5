// What independent readers must know, case by case.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "trace-format/text/message_text.hpp"

namespace ringside::trace {
namespace {

using shm::FieldType;

struct Argument {
  Value value;
  std::string_view name = {};
};

Argument i32(std::int64_t number) {
  return {Value::of_signed(FieldType::i32, number)};
}

Argument string(std::string_view text) {
  return {Value::of_text(FieldType::string, text)};
}

std::string text(std::string_view format, const std::vector<Argument>& arguments) {
  std::vector<FormatField> fields;
  std::vector<Value> values;
  for (const Argument& argument : arguments) {
    fields.push_back({argument.name, argument.value.type});
    values.push_back(argument.value);
  }
  std::string why;
  const auto message = MessageFormat::parse(shm::FormatStyle::brace, format, fields, &why);
  if (!message) return "refused: " + why;
  std::string out;
  message->append(out, values);
  return out;
}

TEST(BraceTable, TakesArgumentsInOrderByPositionAndByName) {
  EXPECT_EQ(text("table {} has id {:>8x}", {string("t"), i32(255)}), "table t has id       ff");
  EXPECT_EQ(text("{1} {0} {1}", {i32(1), i32(2)}), "2 1 2");
  const Argument user{Value::of_text(FieldType::string, "ann"), "user"};
  const Argument amount{Value::of_f64(12.345), "amount"};
  EXPECT_EQ(text("{user} paid {amount:.2f}", {user, amount}), "ann paid 12.35");
  EXPECT_EQ(text("{amount:.1f} {}", {user, amount}), "12.3 ann");
}

TEST(BraceTable, LeavesOutFieldsThatNoPlaceholderUses) {
  EXPECT_EQ(text("done", {i32(1)}), "done");
  EXPECT_EQ(text("{1}", {i32(1), i32(2)}), "2");
}

TEST(BraceTable, DoubledBracesAreText) {
  EXPECT_EQ(text("{{}} {{{}}} 100%", {i32(1)}), "{} {1} 100%");
}

TEST(BraceTable, TakesWidthAndPrecisionFromArguments) {
  EXPECT_EQ(text("[{:{}}]", {i32(5), i32(4)}), "[   5]");
  EXPECT_EQ(text("[{:{}.{}}]", {string("abcdef"), i32(4), i32(2)}), "[ab  ]");
  EXPECT_EQ(text("[{2:{1}.{0}f}]", {i32(1), i32(6), {Value::of_f64(2.25)}}), "[   2.2]");
  const Argument width{Value::of_unsigned(FieldType::u8, 3), "width"};
  EXPECT_EQ(text("[{0:*^{width}}]", {i32(5), width}), "[*5*]");
}

TEST(BraceTable, ShowsBytesAsHexadecimalPairs) {
  const Argument bytes{Value::of_text(FieldType::bytes, "\x01\xfe")};
  EXPECT_EQ(text("{}", {bytes}), "01fe");
  EXPECT_EQ(text("[{:>6.2}]", {bytes}), "[    01]");
}

TEST(BraceTable, ShowsEnumerationsByNameOrNumber) {
  const Argument known{Value::of_enumeration(2, "ready")};
  const Argument unknown{Value::of_enumeration(3, "")};
  EXPECT_EQ(text("{} {} {:d} {:#x}", {known, unknown, known, known}), "ready 3 2 0x2");
  EXPECT_EQ(text("[{:>6}] [{:6s}] [{:4}]", {known, known, unknown}), "[ ready] [ready ] [3   ]");
}

TEST(BraceTable, ShowsArraysLikeRanges) {
  const std::string numbers("\x01\x00\xff\x00", 4);
  const Argument array{Value::of_array(shm::array_of(FieldType::u16), numbers, 2)};
  EXPECT_EQ(text("{}", {array}), "[1, 255]");
  EXPECT_EQ(text("{::x} {:n} {:n:#04x}", {array, array, array}), "[1, ff] 1, 255 0x01, 0xff");
  const std::string strings("\x02\0\0\0a\n\x01\0\0\0b", 11);
  const Argument texts{Value::of_array(shm::array_of(FieldType::string), strings, 2)};
  EXPECT_EQ(text("{} {::} {::>3}", {texts, texts, texts}),
            "[\"a\\n\", \"b\"] [a\n, b] [ a\n,   b]");
  const std::string_view characters("a'");
  const Argument marks{Value::of_array(shm::array_of(FieldType::character), characters, 2)};
  EXPECT_EQ(text("{}", {marks}), "['a', '\\'']");
}

TEST(BraceTable, ShowsWideIntegersAndPointers) {
  EXPECT_EQ(text("{}", {{Value::of_halves(FieldType::i128, 0, std::uint64_t{1} << 63)}}),
            "-170141183460469231731687303715884105728");
  EXPECT_EQ(text("{} {}", {{Value::of_unsigned(FieldType::pointer, 0)},
                           {Value::of_unsigned(FieldType::pointer, 0xbeef)}}),
            "0x0 0xbeef");
}

}  // namespace
}  // namespace ringside::trace
