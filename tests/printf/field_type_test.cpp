#include "shm-layout/field_type.hpp"

#include <gtest/gtest.h>

#include "shm-layout/field_type_name.hpp"

namespace ringside::shm {
namespace {

// Files contain these numbers: a change here breaks every trace ever written.
static_assert(code(FieldType::none) == 0 && code(FieldType::boolean) == 1);
static_assert(code(FieldType::character) == 2 && code(FieldType::i8) == 3);
static_assert(code(FieldType::i16) == 4 && code(FieldType::i32) == 5);
static_assert(code(FieldType::i64) == 6 && code(FieldType::i128) == 7);
static_assert(code(FieldType::u8) == 8 && code(FieldType::u16) == 9);
static_assert(code(FieldType::u32) == 10 && code(FieldType::u64) == 11);
static_assert(code(FieldType::u128) == 12 && code(FieldType::f32) == 13);
static_assert(code(FieldType::f64) == 14 && code(FieldType::f80) == 15);
static_assert(code(FieldType::pointer) == 16 && code(FieldType::string) == 17);
static_assert(code(FieldType::bytes) == 18 && code(FieldType::enumeration) == 19);
static_assert(kArrayFlag == 0x80 && code(array_of(FieldType::u16)) == 0x89);

static_assert(fixed_size(FieldType::boolean) == 1 && fixed_size(FieldType::u16) == 2);
static_assert(fixed_size(FieldType::f80) == 10 && fixed_size(FieldType::i128) == 16);
static_assert(fixed_size(FieldType::enumeration) == 8 && fixed_size(FieldType::string) == 0);
static_assert(fixed_size(array_of(FieldType::u16)) == 0);

static_assert(is_integer(FieldType::i8) && is_integer(FieldType::u128));
static_assert(!is_integer(FieldType::character) && !is_integer(FieldType::f32));
static_assert(!is_integer(array_of(FieldType::i8)));
static_assert(is_signed(FieldType::i128) && !is_signed(FieldType::u8));

TEST(FieldType, EveryCodeHasExactlyOneOfSizeAndVariableLength) {
  for (unsigned value = 0; value < 256; ++value) {
    const auto type = static_cast<FieldType>(value);
    if (!is_valid_code(static_cast<std::uint8_t>(value))) continue;
    EXPECT_NE(fixed_size(type) > 0, is_variable_length(type)) << value;
    EXPECT_NE(name(type), "?") << value;
  }
}

TEST(FieldType, RejectsNoneAndUndefinedCodesAlsoAsArrays) {
  for (unsigned value = 0; value < 256; ++value) {
    const unsigned element = value & 0x7f;
    EXPECT_EQ(is_valid_code(static_cast<std::uint8_t>(value)), element >= 1 && element <= 19);
  }
}

TEST(FieldType, NamesArraysAfterTheirElements) {
  for (std::uint8_t value = 1; value <= kLastFieldType; ++value) {
    const auto type = static_cast<FieldType>(value);
    EXPECT_EQ(name(array_of(type)), std::string(name(type)) + "[]");
    EXPECT_EQ(element_type(array_of(type)), type);
  }
}

}  // namespace
}  // namespace ringside::shm
