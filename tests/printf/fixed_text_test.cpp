#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "trace-format/text/message_text.hpp"

namespace ringside::trace {
namespace {

using shm::FieldType;
using shm::FormatStyle;

std::string text_of(const Value& value) {
  const FormatField field{"v", value.type};
  std::string why;
  const auto message = MessageFormat::parse(FormatStyle::none, "m", {&field, 1}, &why);
  if (!message) return "refused: " + why;
  std::string out;
  message->append(out, {&value, 1});
  return out.substr(out.find(' ') + 1);
}

template <typename Number>
Value array_value(FieldType element, const std::vector<Number>& numbers, std::string& storage) {
  storage.assign(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number));
  return Value::of_array(shm::array_of(element), storage,
                         static_cast<std::uint32_t>(numbers.size()));
}

TEST(FixedText, IsUnchangedEvenWithPercentSignsAndBraces) {
  std::string out = ">";
  MessageFormat::parse(FormatStyle::none, "100% of {} %d", {}, nullptr)->append(out, {});
  EXPECT_EQ(out, ">100% of {} %d");
}

TEST(FixedText, ListsFieldsByNameAfterTheText) {
  const FormatField fields[] = {{"count", FieldType::u32}, {"who", FieldType::string}};
  const auto message = MessageFormat::parse(FormatStyle::none, "done", fields, nullptr);
  const Value values[] = {Value::of_unsigned(FieldType::u32, 3),
                          Value::of_text(FieldType::string, "me")};
  std::string out;
  message->append(out, values);
  EXPECT_EQ(out, "done count=3 who=me");
  out.clear();
  message->append(out, {values, 1});
  EXPECT_EQ(out, "done count=3 who=<?>");
}

TEST(FixedText, ShowsEveryTypeOfField) {
  EXPECT_EQ(text_of(Value::of_unsigned(FieldType::boolean, 1)), "v=true");
  EXPECT_EQ(text_of(Value::of_unsigned(FieldType::character, 'x')), "v=x");
  EXPECT_EQ(text_of(Value::of_signed(FieldType::i8, -128)), "v=-128");
  EXPECT_EQ(text_of(Value::of_unsigned(FieldType::u64, ~std::uint64_t{0})),
            "v=18446744073709551615");
  EXPECT_EQ(text_of(Value::of_halves(FieldType::u128, ~std::uint64_t{0}, ~std::uint64_t{0})),
            "v=340282366920938463463374607431768211455");
  EXPECT_EQ(text_of(Value::of_halves(FieldType::i128, 0, std::uint64_t{1} << 63)),
            "v=-170141183460469231731687303715884105728");
  EXPECT_EQ(text_of(Value::of_f32(0.1f)), "v=0.1");
  EXPECT_EQ(text_of(Value::of_f64(1e300)), "v=1e+300");
  EXPECT_EQ(text_of(Value::of_f80(0.5L)), "v=0.5");
  EXPECT_EQ(text_of(Value::of_unsigned(FieldType::pointer, 0x10)), "v=0x10");
  EXPECT_EQ(text_of(Value::of_text(FieldType::bytes, "\x01\xff")), "v=01ff");
  EXPECT_EQ(text_of(Value::of_enumeration(2, "")), "v=2");
  EXPECT_EQ(text_of(Value::of_enumeration(2, "ready")), "v=ready");
}

TEST(FixedText, QuotesStringsThatWouldBeAmbiguous) {
  EXPECT_EQ(text_of(Value::of_text(FieldType::string, "")), "v=\"\"");
  EXPECT_EQ(text_of(Value::of_text(FieldType::string, "a b")), "v=\"a b\"");
  EXPECT_EQ(text_of(Value::of_text(FieldType::string, "a=\"\\\n\x1b")), "v=\"a=\\\"\\\\\\n\\x1b\"");
  EXPECT_EQ(text_of(Value::of_text(FieldType::string, "caf\xc3\xa9")), "v=caf\xc3\xa9");
}

TEST(FixedText, ListsArrays) {
  std::string storage;
  EXPECT_EQ(text_of(array_value<std::int16_t>(FieldType::i16, {1, -2, 300}, storage)),
            "v=[1, -2, 300]");
  EXPECT_EQ(text_of(array_value<double>(FieldType::f64, {0.5, -1}, storage)), "v=[0.5, -1]");
  EXPECT_EQ(text_of(array_value<std::uint8_t>(FieldType::u8, {}, storage)), "v=[]");
  const std::string strings("\x02\0\0\0ab\0\0\0\0", 10);
  EXPECT_EQ(text_of(Value::of_array(shm::array_of(FieldType::string), strings, 2)), "v=[ab, \"\"]");
}

TEST(FixedText, StopsWhereAnArrayHoldsLessThanItsCount) {
  std::string storage;
  Value value = array_value<std::int32_t>(FieldType::i32, {1, 2}, storage);
  value.count = 4'000'000'000;
  EXPECT_EQ(text_of(value), "v=[1, 2, <?>]");
  const std::string lying(
      "\xff\xff\xff\xff"
      "ab",
      6);
  EXPECT_EQ(text_of(Value::of_array(shm::array_of(FieldType::string), lying, 2)), "v=[<?>]");
}

TEST(FixedText, RefusesUndefinedTypesAndStyles) {
  std::string why;
  const FormatField field{"v", static_cast<FieldType>(77)};
  EXPECT_FALSE(MessageFormat::parse(FormatStyle::none, "m", {&field, 1}, &why));
  EXPECT_NE(why.find("undefined type 77"), std::string::npos) << why;
  EXPECT_FALSE(MessageFormat::parse(static_cast<FormatStyle>(9), "m", {}, &why));
  EXPECT_FALSE(MessageFormat::parse(FormatStyle::none, std::string(2'000'000, 'x'), {}, &why));
}

}  // namespace
}  // namespace ringside::trace
