// Integers of a width that their conversion does not state, as C++ statements record them.

#include <cstdint>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "trace-format/text/message_text.hpp"

namespace ringside::trace {
namespace {

using shm::FieldType;

std::string text_of(const char* format, const Value& value) {
  std::string why;
  const auto message = MessageFormat::parse(format, {&value.type, 1}, &why);
  if (!message) return "refused: " + why;
  std::string out;
  message->append(out, {&value, 1});
  return out;
}

TEST(AnyWidth, IsPrintedWhole) {
  const auto least = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(text_of("%d", Value::of_signed(FieldType::i64, least)), "-9223372036854775808");
  EXPECT_EQ(text_of("%+5i|", Value::of_signed(FieldType::i8, 7)), "   +7|");
  EXPECT_EQ(text_of("%u", Value::of_unsigned(FieldType::u64, ~std::uint64_t{0})),
            "18446744073709551615");
  EXPECT_EQ(text_of("%#x", Value::of_unsigned(FieldType::u16, 0xfeU)), "0xfe");
}

TEST(AnyWidth, HasTheSignOfTheConversion) {
  EXPECT_EQ(text_of("%d", Value::of_unsigned(FieldType::u64, 1U)).substr(0, 7), "refused");
  EXPECT_EQ(text_of("%u", Value::of_signed(FieldType::i32, 1)).substr(0, 7), "refused");
}

TEST(AnyWidth, IsThatOfTheLengthModifierIfThereIsOne) {
  EXPECT_EQ(text_of("%ld", Value::of_signed(FieldType::i32, 1)).substr(0, 7), "refused");
  EXPECT_EQ(text_of("%hhd", Value::of_signed(FieldType::i32, 1)).substr(0, 7), "refused");
}

}  // namespace
}  // namespace ringside::trace
