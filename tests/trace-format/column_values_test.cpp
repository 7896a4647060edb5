// Columns of integers, reals and texts give their values back, for each model and for any values.
#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "trace-format/packing/integer_column.hpp"
#include "trace-format/packing/real_column.hpp"
#include "trace-format/packing/text_column.hpp"
#include "trace-format/packing/text_template.hpp"

namespace ringside::trace::testing {
namespace {

using Values = std::vector<std::uint64_t>;

constexpr std::uint64_t kAllBits = std::numeric_limits<std::uint64_t>::max();

Values integers_of(unsigned shape, std::size_t count, std::mt19937_64& random) {
  Values values(count);
  std::uint64_t last = random();
  for (std::uint64_t& v : values) {
    switch (shape) {
      case 0:
        v = random();
        break;
      case 1:
        v = last += random() % 100;
        break;
      case 2:
        v = random() % 9 * 1'000'000'007;
        break;
      case 3:
        v = random() % 2'000 - 1'000;  // around 0, as two's complement
        break;
      case 4:
        v = last += 4'096;
        break;
      case 5:
        v = 5 + random() % 100 * 250;
        break;
      default:
        v = (std::uint64_t{1} << random() % 64) - random() % 3;
        break;
    }
  }
  return values;
}

TEST(IntegerColumn, RestoresAnyValuesWithEachModel) {
  std::mt19937_64 random(1);
  Values restored;
  for (unsigned shape = 0; shape < 7; ++shape) {
    for (const std::size_t count : std::initializer_list<std::size_t>{0, 1, 2, 3, 10, 20'000}) {
      const Values values = integers_of(shape, count, random);
      for (unsigned model = 0; model < 5; ++model) {
        ColumnWriter out;
        if (model == 4) {
          put_integers(values, out);
        } else {
          put_integers(values, static_cast<IntegerModel>(model), out);
        }
        ColumnReader in(out.bytes());
        take_integers(in, count, restored);
        ASSERT_FALSE(in.failed()) << shape << " " << count << " " << model;
        ASSERT_TRUE(in.at_end());
        ASSERT_EQ(restored, values) << shape << " " << count << " " << model;
      }
    }
  }
}

TEST(IntegerColumn, ChoosesTheModelThatFits) {
  std::mt19937_64 random(2);
  const auto model_of = [&](unsigned shape) {
    return choose_integer_model(integers_of(shape, 20'000, random)).model;
  };
  EXPECT_EQ(model_of(0), IntegerModel::kOffset);
  EXPECT_EQ(model_of(1), IntegerModel::kDelta);
  EXPECT_EQ(model_of(4), IntegerModel::kDelta);
  EXPECT_EQ(model_of(5), IntegerModel::kOffset);
}

TEST(IntegerColumn, RejectsTruncatedColumns) {
  std::mt19937_64 random(3);
  Values restored;
  for (unsigned shape = 0; shape < 7; ++shape) {
    ColumnWriter out;
    put_integers(integers_of(shape, 50, random), out);
    for (std::size_t bytes = 0; bytes < out.bytes().size(); ++bytes) {
      ColumnReader in(out.bytes().first(bytes));
      take_integers(in, 50, restored);
      ASSERT_TRUE(in.failed());
    }
  }
}

Values reals_of(unsigned shape, std::size_t count, RealWidth width, std::mt19937_64& random) {
  const auto bits = [width](double value) -> std::uint64_t {
    if (width == RealWidth::k64) return std::bit_cast<std::uint64_t>(value);
    return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  };
  Values values(count);
  for (std::uint64_t& v : values) {
    const auto number = static_cast<double>(random() % 1'000'000);
    v = shape == 0                ? bits(number / 100)
        : shape == 1              ? bits(std::ldexp(number, static_cast<int>(random() % 60) - 40))
        : shape == 2              ? bits(number)
        : width == RealWidth::k64 ? random()
                                  : random() & 0xFFFFFFFF;
  }
  if (shape != 3 && count > 100) {
    // A few exceptions: not decimals.
    values[7] = bits(-0.0);
    values[8] = bits(std::numeric_limits<double>::infinity());
    values[99] = bits(std::numeric_limits<double>::quiet_NaN());
  }
  return values;
}

TEST(RealColumn, RestoresAnyBitPatterns) {
  std::mt19937_64 random(4);
  Values restored;
  for (const RealWidth width : {RealWidth::k32, RealWidth::k64}) {
    for (unsigned shape = 0; shape < 4; ++shape) {
      for (const std::size_t count : std::initializer_list<std::size_t>{0, 1, 2, 1'000}) {
        const Values values = reals_of(shape, count, width, random);
        ColumnWriter out;
        put_reals(values, width, out);
        ColumnReader in(out.bytes());
        take_reals(in, count, width, restored);
        ASSERT_TRUE(!in.failed() && in.at_end()) << shape << " " << count;
        ASSERT_EQ(restored, values) << shape << " " << count;
      }
    }
  }
}

TEST(RealColumn, PricesTakeThreeBytesNotEight) {
  std::mt19937_64 random(5);
  ColumnWriter out;
  put_reals(reals_of(0, 10'000, RealWidth::k64, random), RealWidth::k64, out);
  EXPECT_LT(out.bytes().size(), 31'000U);
}

TEST(TextTemplate, SplitsAndJoinsAnyText) {
  std::mt19937_64 random(6);
  constexpr std::string_view kLetters = "0123456789abcdefghz -/._XYZ";
  std::string form;
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (std::uint64_t n = random() % 40; n > 0; --n) {
      // Few kinds of letters make long numbers.
      text += kLetters[random() % (i % 2 == 0 ? kLetters.size() : 16)];
    }
    for (const NumberWidth width : {NumberWidth::kFree, NumberWidth::kFixed}) {
      Values numbers;
      ASSERT_TRUE(split_text(text, width, form, numbers));
      ASSERT_EQ(count_numbers(form), static_cast<std::ptrdiff_t>(numbers.size())) << text;
      std::string joined;
      ASSERT_TRUE(join_text(form, numbers.data(), joined));
      ASSERT_EQ(joined, text);
    }
  }
}

TEST(TextTemplate, RejectsInvalidOnes) {
  std::string text;
  Values numbers;
  std::string form;
  EXPECT_FALSE(split_text(std::string_view("a\0b", 3), NumberWidth::kFree, form, numbers));
  for (const std::string bad : {"\x01", "x\x02", "\x01\x13", "\x02\x11"}) {
    EXPECT_LT(count_numbers(bad), 0);
  }
  EXPECT_LT(count_numbers(std::string_view("\x01\0", 2)), 0);
  const std::uint64_t large = 1'000;
  EXPECT_FALSE(join_text("\x01\x03", &large, text)) << "four digits in three characters";
}

std::vector<std::string> texts_of(unsigned shape, std::size_t count, std::mt19937_64& random) {
  std::vector<std::string> texts(count);
  for (std::string& text : texts) {
    if (shape == 0) text = "/users/" + std::to_string(random() % 100'000) + "/orders";
    if (shape == 1) text = "name" + std::to_string(random() % 20);
    if (shape == 2) text = std::string(random() % 5, 'x');
    if (shape == 3) {
      for (std::uint64_t n = random() % 30; n > 0; --n) text += static_cast<char>(random());
    }
  }
  return texts;
}

TEST(TextColumn, RestoresAnyTexts) {
  std::mt19937_64 random(7);
  for (unsigned shape = 0; shape < 4; ++shape) {
    for (const std::size_t count : std::initializer_list<std::size_t>{0, 1, 2, 3'000}) {
      const std::vector<std::string> texts = texts_of(shape, count, random);
      const std::vector<std::string_view> views(texts.begin(), texts.end());
      ColumnWriter out;
      put_texts(views, out);
      ColumnReader in(out.bytes());
      TextRoom room(1 << 20, 10'000);
      std::vector<std::string_view> restored;
      take_texts(in, count, room, restored);
      ASSERT_TRUE(!in.failed() && in.at_end()) << shape << " " << count;
      ASSERT_EQ(restored, views) << shape << " " << count;
    }
  }
}

TEST(TextColumn, TemplatesAreBoundedByTheRoom) {
  std::mt19937_64 random(8);
  const std::vector<std::string> texts = texts_of(0, 3'000, random);
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  ColumnWriter out;
  put_texts(views, out);
  EXPECT_LT(out.bytes().size(), 20'000U) << "numbers, not digits";
  ColumnReader in(out.bytes());
  TextRoom room(10'000, 10'000);
  std::vector<std::string_view> restored;
  take_texts(in, 3'000, room, restored);
  EXPECT_TRUE(in.failed());
  ColumnReader again(out.bytes());
  TextRoom few_numbers(1 << 20, 2'999);
  take_texts(again, 3'000, few_numbers, restored);
  EXPECT_TRUE(again.failed());
}

TEST(ColumnReader, RejectsNumbersAboveTheirLimit) {
  ColumnWriter out;
  out.put_number(kAllBits);
  out.put_number(300);
  ColumnReader in(out.bytes());
  EXPECT_EQ(in.take_number(), kAllBits);
  EXPECT_EQ(in.take_number(299), 0U);
  EXPECT_TRUE(in.failed());
  const std::vector<std::byte> endless(11, std::byte{0xFF});
  ColumnReader too_long(endless);
  too_long.take_number();
  EXPECT_TRUE(too_long.failed());
}

}  // namespace
}  // namespace ringside::trace::testing
