// Brace formats, field lists and values as a damaged or malicious file can hold them.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "trace-format/text/message_text.hpp"

namespace ringside::trace {
namespace {

using shm::FieldType;

constexpr std::string_view kNames[] = {"a", "b", "count"};

std::optional<MessageFormat> parse(std::string_view format, const std::vector<FieldType>& types,
                                   std::string* why = nullptr) {
  std::vector<FormatField> fields;
  for (const FieldType type : types) {
    fields.push_back({kNames[fields.size() % std::size(kNames)], type});
  }
  return MessageFormat::parse(shm::FormatStyle::brace, format, fields, why);
}

std::string reason(std::string_view format, const std::vector<FieldType>& types) {
  std::string why;
  EXPECT_FALSE(parse(format, types, &why)) << format;
  EXPECT_FALSE(parse(format, types, nullptr)) << format;
  return why;
}

std::string text(std::string_view format, const std::vector<FieldType>& types,
                 const std::vector<Value>& values) {
  std::string why;
  const auto message = parse(format, types, &why);
  if (!message) return "refused: " + why;
  std::string out;
  message->append(out, values);
  return out;
}

TEST(HostileBrace, RefusesInvalidFormatsAndGivesPlaceAndReason) {
  const std::vector<FieldType> two = {FieldType::i32, FieldType::string};
  EXPECT_EQ(reason("ab }", two), "format, byte 3: '}' without '{'; write \"}}\" for a brace");
  EXPECT_EQ(reason("ab {", two), "format, byte 4: expected a position, a name, ':' or '}'");
  EXPECT_EQ(reason("{} {} {}", two), "format, byte 7: position 2, but the site has 2 fields");
  EXPECT_EQ(reason("{7}", two), "format, byte 1: position 7, but the site has 2 fields");
  EXPECT_EQ(reason("{99999999999999999999999}", two),
            "format, byte 1: position 65536, but the site has 2 fields");
  EXPECT_EQ(reason("{} {0}", two), "format, byte 4: both positions and automatic numbering");
  EXPECT_EQ(reason("{0} {}", two), "format, byte 5: both positions and automatic numbering");
  EXPECT_EQ(reason("{who}", two), "format, byte 1: no field has the name \"who\"");
  EXPECT_EQ(reason("{a.b}", two), "format, byte 2: expected '}' at the end of the placeholder");
  EXPECT_EQ(reason("{:", two), "format, byte 2: expected '}' at the end of the placeholder");
  EXPECT_EQ(reason("{:y}", two), "format, byte 2: invalid specification");
  EXPECT_EQ(reason("{:{<5}", two), "format, byte 2: '{' cannot be a fill character");
  EXPECT_EQ(reason("{:.}", two), "format, byte 3: a precision is missing after '.'");
  EXPECT_EQ(reason("{:{}", two), "format, byte 4: expected '}' at the end of the placeholder");
  EXPECT_EQ(reason("{:{}}", two),
            "format, byte 2: a width or precision from field 1, which is string instead of an "
            "integer");
  EXPECT_EQ(reason("{:{0", two), "format, byte 3: both positions and automatic numbering");
  EXPECT_EQ(reason("{0:{0", two),
            "format, byte 5: expected '}' at the end of the width or precision");
  EXPECT_EQ(reason(std::string_view("a\0{}", 4), two), "format, byte 1: a NUL");
  EXPECT_EQ(reason("{::x}", two), "format, byte 2: invalid specification");
  EXPECT_EQ(reason("{:x}", {shm::array_of(FieldType::u8)}),
            "format, byte 2: expected 'n', or ':' and a specification of the elements");
}

TEST(HostileBrace, RefusesSpecificationsThatDoNotSuitTheType) {
  EXPECT_EQ(reason("a {:d}", {FieldType::string}),
            "format, byte 2: invalid type specifier; the field is string");
  const FieldType texts = shm::array_of(FieldType::string);
  for (const char* const format : {"{:+}", "{:#}", "{:05}", "{:L}", "{:x}", "{:f}", "{:p}"}) {
    reason(format, {FieldType::string});
    reason(format, {FieldType::bytes});
  }
  for (const char* const format : {"{:+}", "{:05}", "{:.3}"}) {
    reason(format, {FieldType::pointer});
  }
  for (const char* const format : {"{:+}", "{:.3}", "{:s}", "{:e}", "{:?}"}) {
    reason(format, {FieldType::u64});
  }
  reason("{:.3}", {FieldType::boolean});
  reason("{:x}", {FieldType::f64});
  reason("{:+}", {FieldType::enumeration});
  reason("{::d}", {texts});
  EXPECT_EQ(reason("{:.{}}", {FieldType::u64, FieldType::i32}),
            "format, byte 0: precision not allowed for this argument type; the field is u64");
}

TEST(HostileBrace, RefusesWhatIsTooLarge) {
  EXPECT_EQ(reason("{:4096}", {FieldType::i32}),
            "format, byte 2: a width or precision exceeds 4095");
  EXPECT_EQ(reason("{:.99999999999999999999}", {FieldType::f64}),
            "format, byte 3: a width or precision exceeds 4095");
  std::string format;
  for (int i = 0; i < 512; ++i) format += "{0}";
  EXPECT_TRUE(parse(format, {FieldType::i32}));
  EXPECT_EQ(reason(format + "{0}", {FieldType::i32}),
            "format, byte 1536: more than 512 placeholders");
  EXPECT_TRUE(parse(std::string(65536, 'x'), {}));
  EXPECT_EQ(reason(std::string(65537, 'x'), {}), "format, byte 0: the format exceeds 65536 bytes");
}

TEST(HostileBrace, RefusesUndefinedTypes) {
  EXPECT_EQ(reason("x", {static_cast<FieldType>(77)}), "field 0 has the undefined type 77");
}

TEST(HostileBrace, MarksArgumentsOfOtherTypesAndMissingOnes) {
  const Value number = Value::of_signed(FieldType::i32, 5);
  const std::vector<FieldType> types = {FieldType::i32, FieldType::string};
  EXPECT_EQ(text("<{}|{}>", types, {number, number}), "<5|<?>>");
  EXPECT_EQ(text("<{}|{:5}>", types, {number}), "<5|<?>>");
  EXPECT_EQ(text("<{1:{0}}>", types, {Value::of_f64(1), Value::of_text(FieldType::string, "x")}),
            "<<?>>");
}

TEST(HostileBrace, BoundsWidthAndPrecisionFromArguments) {
  const std::vector<FieldType> types = {FieldType::i64, FieldType::f64};
  const auto with = [&types](std::string_view format, std::int64_t size) {
    return text(format, types, {Value::of_signed(FieldType::i64, size), Value::of_f64(1.5)});
  };
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(with("{1:{0}}", kMax).size(), 4095u);
  EXPECT_LE(with("{1:.{0}f}", kMax).size(), 4097u);  // {fmt} 9.1 omits the last of such digits
  EXPECT_EQ(with("{1:{0}}", kMin), "1.5");
  EXPECT_EQ(with("{1:.{0}}", kMin), "1.5");
  const std::vector<FieldType> wide = {FieldType::u128, FieldType::string};
  const Value text_value = Value::of_text(FieldType::string, "x");
  EXPECT_EQ(text("{1:{0}}", wide, {Value::of_halves(FieldType::u128, 1, ~0ull), text_value}).size(),
            4095u);
  const std::vector<FieldType> negative = {FieldType::i128, FieldType::string};
  EXPECT_EQ(text("{1:{0}}", negative, {Value::of_halves(FieldType::i128, 1, ~0ull), text_value}),
            "x");
}

TEST(HostileBrace, EndsLongArraysAfterOneMebibyte) {
  const std::string bytes(60'000, '\1');
  const FieldType type = shm::array_of(FieldType::u8);
  const Value array = Value::of_array(type, bytes, 60'000);
  const std::string out = text("{::4095}", {type}, {array});
  EXPECT_LE(out.size(), (1u << 20) + 4200);
  EXPECT_TRUE(out.ends_with("1, <?>]"));
  EXPECT_EQ(text("{}", {type}, {array}).size(), 180'000u);
}

TEST(HostileBrace, StopsWhereAnArrayHoldsLessThanItsCount) {
  const FieldType type = shm::array_of(FieldType::u8);
  EXPECT_EQ(text("{}", {type}, {Value::of_array(type, "\1\2", 4'000'000'000)}), "[1, 2, <?>]");
}

TEST(HostileBrace, ShowsImpossibleLongDoublesAsNaN) {
  EXPECT_EQ(text("{:f}", {FieldType::f80}, {Value::of_halves(FieldType::f80, 1, 0xffff)}), "-nan");
}

// Any bytes as the format, any types and values as the arguments: no crash, no exception, no
// overread (the texts end with their heap block, for the sanitizers), bounded output.
TEST(HostileBrace, SurvivesGarbage) {
  std::mt19937_64 random(7);
  const auto below = [&](std::size_t limit) { return static_cast<std::size_t>(random() % limit); };
  constexpr std::string_view kPieces[] = {
      "{", "}", "{}", "{:", "{0", "{a", "{count", ":", "::", "{{", "}}", "n", "#",
      "0", "+", "-",  "L",  "?",  "<",  ">",      "^", "*",  "7",  "99", ".", "x"};
  constexpr std::string_view kTypes = "dxXobBcsaAeEfFgGp";
  std::size_t accepted = 0;
  for (int round = 0; round < 50'000; ++round) {
    std::string format;
    for (std::size_t left = below(12); left > 0; --left) {
      format += kPieces[below(std::size(kPieces))];
      if (below(6) == 0) format += kTypes[below(kTypes.size())];
      if (below(30) == 0) format += static_cast<char>(random());
      if (below(3) == 0) format += "}";
    }
    std::vector<FieldType> types;
    for (std::size_t left = below(5); left > 0; --left) {
      const auto scalar = static_cast<FieldType>(1 + below(shm::kLastFieldType));
      types.push_back(below(4) == 0 ? shm::array_of(scalar) : scalar);
    }
    const auto message = parse(format, types);
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
    ASSERT_LE(out.size(), format.size() * 16384) << format;
  }
  EXPECT_GT(accepted, 5'000u);
}

}  // namespace
}  // namespace ringside::trace
