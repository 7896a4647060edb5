// Formats, field lists and values as a damaged or malicious file can hold them.
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "shm-layout/printf_fields.hpp"
#include "trace-format/text/message_text.hpp"

namespace ringside::trace {
namespace {

using shm::FieldType;

MessageFormat make(std::string_view format) {
  std::vector<FieldType> types;
  for (const shm::PrintfField& field : shm::printf_fields(format)) types.push_back(field.type);
  return *MessageFormat::parse(format, types, nullptr);
}

std::string text(std::string_view format, std::vector<Value> values) {
  std::string out;
  make(format).append(out, values);
  return out;
}

TEST(HostileFormat, RefusesFieldsThatDoNotMatchAndGivesTheReason) {
  std::string why;
  const FieldType one[] = {FieldType::u64};
  EXPECT_FALSE(MessageFormat::parse("%d", one, &why));
  EXPECT_EQ(why, "field 0 is u64, the format records i32");
  EXPECT_FALSE(MessageFormat::parse("%d %d", one, &why));
  EXPECT_EQ(why, "the format records 2 fields, the site has 1");
  EXPECT_FALSE(MessageFormat::parse("text", one, &why));
  EXPECT_FALSE(MessageFormat::parse("ab %n", one, &why));
  EXPECT_EQ(why, "format, byte 3: refused: %n writes to memory");
  EXPECT_FALSE(MessageFormat::parse("%d", one, nullptr));
}

TEST(HostileFormat, MarksArgumentsOfOtherTypesAndMissingOnes) {
  const Value number = Value::of_signed(FieldType::i32, 5);
  EXPECT_EQ(text("<%d|%s>", {number, number}), "<5|<?>>");
  EXPECT_EQ(text("<%d|%s>", {number}), "<5|<?>>");
  EXPECT_EQ(text("<%5d|%f|%Lf|%p|%c|%lu>", {}), "<<?>|<?>|<?>|<?>|<?>|<?>>");
  EXPECT_EQ(text("<%*d>", {Value::of_f64(1.0), number}), "<<?>>");
  EXPECT_EQ(text("<%.*d>", {Value::of_text(FieldType::string, "x"), number}), "<<?>>");
  EXPECT_EQ(text("%d", {number, number, number}), "5");
}

TEST(HostileFormat, BoundsWidthAndPrecisionFromArguments) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int32_t>::max();
  constexpr std::int64_t kMin = std::numeric_limits<std::int32_t>::min();
  const Value number = Value::of_signed(FieldType::i32, 5);
  for (const std::int64_t width : {kMax, kMin, std::int64_t{4096}, std::int64_t{-4096}}) {
    const Value star = Value::of_signed(FieldType::i32, width);
    EXPECT_EQ(text("%*d", {star, number}).size(), 4095u) << width;
    EXPECT_EQ(text("%*s", {star, Value::of_text(FieldType::string, "x")}).size(), 4095u) << width;
  }
  const Value star = Value::of_signed(FieldType::i32, kMax);
  EXPECT_EQ(text("%.*d", {star, number}).size(), 4095u);
  EXPECT_EQ(text("%.*f", {star, Value::of_f64(1.0)}).size(), 4097u);
  const Value none = Value::of_signed(FieldType::i32, kMin);
  EXPECT_EQ(text("%.*d", {none, number}), "5");
}

TEST(HostileFormat, EmitsEmbeddedNulAndBrokenUtf8AsTheyAre) {
  const std::string raw("a\0b\xff\xc3", 5);
  EXPECT_EQ(text("%s|", {Value::of_text(FieldType::string, raw)}), raw + "|");
  EXPECT_EQ(text("%7s", {Value::of_text(FieldType::string, raw)}), "  " + raw);
  const std::string continuation(5, '\x80');
  EXPECT_EQ(text("%.3ls", {Value::of_text(FieldType::string, continuation)}), "");
}

TEST(HostileFormat, CutsStringsRecordedLongerThanTheirPrecision) {
  EXPECT_EQ(text("%.2s", {Value::of_text(FieldType::string, "abc")}), "ab");
  EXPECT_EQ(text("%.2ls", {Value::of_text(FieldType::string, "a\xc3\xa9")}), "a");
}

TEST(HostileFormat, PrintsImpossibleLongDoublesAsNaN) {
  EXPECT_EQ(text("%Lf", {Value::of_halves(FieldType::f80, 1, 0xffff)}), "-nan");
  EXPECT_EQ(text("%La", {Value::of_halves(FieldType::f80, 1, 0x4000)}), "nan");
}

TEST(HostileFormat, WritesStringsLargerThanAnyBuffer) {
  const std::string large(100'000, 'z');
  EXPECT_EQ(text("<%s|%-4095s>", {Value::of_text(FieldType::string, large),
                                  Value::of_text(FieldType::string, large)}),
            "<" + large + "|" + large + ">");
}

// Any bytes as the format, any types and values as the arguments: no crash, no overread (the texts
// end with their heap block, for the sanitizers), bounded output.
TEST(HostileFormat, SurvivesGarbage) {
  std::mt19937_64 random(7);
  const auto below = [&](std::size_t limit) { return static_cast<std::size_t>(random() % limit); };
  const std::string_view kAlphabet =
      "%%%%%%%dioux XbBcCsSpaAeEfFgGnm0123456789.*-+# 'hlLqzjt$y{}\n\0";
  std::size_t accepted = 0;
  for (int round = 0; round < 100'000; ++round) {
    std::string format;
    for (std::size_t left = below(24); left > 0; --left) {
      format += below(30) == 0 ? static_cast<char>(random()) : kAlphabet[below(kAlphabet.size())];
    }
    const shm::FieldList wanted = shm::printf_fields(format);
    ASSERT_LE(wanted.error_offset, format.size());
    std::vector<FieldType> types;
    for (const shm::PrintfField& field : wanted) types.push_back(field.type);
    if (below(4) == 0) types.push_back(static_cast<FieldType>(random()));
    const auto message = MessageFormat::parse(format, types, nullptr);
    ASSERT_EQ(message.has_value(), wanted.ok() && types.size() == wanted.count);
    if (!message) continue;
    ++accepted;
    std::vector<Value> values;
    const std::vector<char> bytes(below(50), static_cast<char>(random()));
    for (const FieldType type : types) {
      if (below(10) == 0) break;
      Value value = Value::of_halves(type, random(), random());
      if (below(10) == 0) value.type = static_cast<FieldType>(random());
      value.count = static_cast<std::uint32_t>(random());
      value.text = {bytes.data(), bytes.size()};
      values.push_back(value);
    }
    std::string out;
    message->append(out, values);
    ASSERT_LE(out.size(), format.size() + types.size() * 16384);
  }
  EXPECT_GT(accepted, 10'000u);
}

}  // namespace
}  // namespace ringside::trace
