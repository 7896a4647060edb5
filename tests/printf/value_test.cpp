#include "trace-format/text/value.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tests/printf/recorded_long_double.hpp"

namespace ringside::trace {
namespace {

using shm::FieldType;

TEST(Value, AnswersOnlyForTypesThatItHoldsWithoutLoss) {
  EXPECT_EQ(Value::of_signed(FieldType::i8, -3).as_i64(), -3);
  EXPECT_EQ(Value::of_unsigned(FieldType::u32, 7).as_i64(), 7);
  EXPECT_FALSE(Value::of_unsigned(FieldType::u64, 7).as_i64());
  EXPECT_FALSE(Value::of_signed(FieldType::i32, 7).as_u64());
  EXPECT_FALSE(Value::of_f64(1.0).as_i64());
  EXPECT_FALSE(Value::of_signed(FieldType::i64, 1).as_f64());
  EXPECT_FALSE(Value::of_signed(FieldType::i64, 1).as_text());
  EXPECT_FALSE(Value().as_i64() || Value().as_text() || Value().as_f80());
  EXPECT_EQ(Value::of_f32(0.5f).as_f64(), 0.5);
  EXPECT_EQ(Value::of_text(FieldType::bytes, "ab").as_text(), "ab");
}

TEST(Value, JoinsTheHalvesOf128BitIntegers) {
  const Value value = Value::of_halves(FieldType::i128, ~std::uint64_t{4}, ~std::uint64_t{0});
  EXPECT_TRUE(value.as_i128() == Int128{-5});
  const Value wide = Value::of_halves(FieldType::u128, 1, 1);
  EXPECT_TRUE(wide.as_u128() == (UInt128{1} << 64) + 1);
  EXPECT_FALSE(wide.as_i128());
  EXPECT_TRUE(Value::of_signed(FieldType::i8, -5).as_i128() == Int128{-5});
}

TEST(Value, KeepsEveryKindOfLongDouble) {
  using Limits = std::numeric_limits<long double>;
  for (const long double number :
       {0.0L, 1.0L, -0.1L, Limits::max(), Limits::lowest(), Limits::min(), 0x1p-16445L,
        Limits::infinity(), -Limits::infinity()}) {
    EXPECT_EQ(Value::of_f80(number).as_f80(), recorded_long_double(number));
  }
  EXPECT_TRUE(std::signbit(*Value::of_f80(-0.0L).as_f80()));
  EXPECT_TRUE(std::isnan(*Value::of_f80(Limits::quiet_NaN()).as_f80()));
  EXPECT_TRUE(std::signbit(*Value::of_f80(-Limits::quiet_NaN()).as_f80()));
}

TEST(Value, ReadsImpossibleLongDoublesAsNaN) {
  for (const std::uint64_t exponent : {0x0001u, 0x4000u, 0x7fffu, 0xffffu}) {
    const Value value = Value::of_halves(FieldType::f80, 0x1000, exponent);
    EXPECT_TRUE(std::isnan(*value.as_f80())) << exponent;
    EXPECT_EQ(std::signbit(*value.as_f80()), exponent >= 0x8000) << exponent;
  }
}

}  // namespace
}  // namespace ringside::trace
