// Every conversion with every combination of flags, kinds of width and precision, and length
// modifiers, compared with snprintf byte for byte.
#include <climits>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tests/printf/recorded_call.hpp"
#include "tests/printf/recorded_long_double.hpp"

namespace ringside::test {
namespace {

struct Size {
  std::string text;
  int star = 0;
  bool has_star = false;
};

const std::vector<Size> kWidths = {{""}, {"1"}, {"13"}, {"*", 9, true}, {"*", -9, true}};
const std::vector<Size> kPrecisions = {{""},    {"."},           {".1"},          {".4"},
                                       {".15"}, {".*", 6, true}, {".*", 0, true}, {".*", -4, true}};

std::vector<std::string> all_flags() {
  std::vector<std::string> result;
  for (unsigned bits = 0; bits < 32; ++bits) {
    std::string flags;
    for (unsigned bit = 0; bit < 5; ++bit) {
      if ((bits >> bit & 1) != 0) flags += "-+ #0"[bit];
    }
    result.push_back(flags);
  }
  result.push_back("'");
  result.push_back("'-0+");
  return result;
}

class MessageTable : public testing::Test {
 protected:
  void SetUp() override { use_utf8_locale(); }

  // Each argument with every combination of flags, width and precision.
  template <typename Arg>
  void compare(std::string_view length_and_conversion, const std::vector<Arg>& args) {
    static const std::vector<std::string> kFlags = all_flags();
    for (const std::string& flags : kFlags) {
      for (const Size& width : kWidths) {
        for (const Size& precision : kPrecisions) {
          Stars stars;
          if (width.has_star) stars.numbers[stars.count++] = width.star;
          if (precision.has_star) stars.numbers[stars.count++] = precision.star;
          const std::string format =
              "<%" + flags + width.text + precision.text + std::string(length_and_conversion) + ">";
          for (const Arg& arg : args) {
            const RecordedCall call(format, stars, arg);
            ASSERT_EQ(call.rendered(), call.expected()) << format << " case " << cases_;
            ++cases_;
          }
        }
      }
    }
  }

  void TearDown() override { RecordProperty("cases", cases_); }

  int cases_ = 0;
};

TEST_F(MessageTable, IntegersEqualSnprintf) {
  const std::vector<int> ints = {0, 1, -1, 42, -12345, INT_MIN, INT_MAX, 0x1234ff80};
  const std::vector<long long> longs = {0, 7, -1, 1234567890123, LLONG_MIN, LLONG_MAX};
  for (const char conversion : std::string_view("diuoxXbB")) {
    for (const std::string length : {"", "h", "hh"}) compare(length + conversion, ints);
    for (const std::string length : {"l", "ll", "q", "z", "j", "t"}) {
      compare(length + conversion, longs);
    }
  }
}

TEST_F(MessageTable, FloatsEqualSnprintf) {
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> doubles = {0.0,   -0.0, 0.5, -1.5, 2.5,  123456.789, 1e-5, 9.9999995,
                                       1e308, -inf, inf, nan,  -nan, 5e-324,     1e15, 0.1};
  std::vector<long double> longs(doubles.begin(), doubles.end());
  longs.push_back(recorded_long_double(std::numeric_limits<long double>::max()));
  longs.push_back(recorded_long_double(0.1L));
  for (const char conversion : std::string_view("fFeEgGaA")) {
    compare(std::string(1, conversion), doubles);
    compare(std::string("l") + conversion, doubles);
    compare(std::string("L") + conversion, longs);
  }
}

TEST_F(MessageTable, StringsEqualSnprintf) {
  compare<const char*>(
      "s", {"", "a", "hello", "a rather long text of many words", nullptr, "h\xc3\xa9"});
  for (const std::string conversion : {"ls", "S"}) {
    compare<const wchar_t*>(
        conversion, {L"", L"abc", L"\u00e9\u20ac\U0001f600x", L"12345678901234567", nullptr});
  }
}

TEST_F(MessageTable, CharactersEqualSnprintf) {
  compare<int>("c", {'a', 0, 255, 'x' + 256});
  for (const std::string conversion : {"lc", "C"}) {
    compare<std::wint_t>(conversion, {L'a', 0, 0xe9, 0x20ac, 0x1f600});
  }
}

TEST_F(MessageTable, PointersEqualSnprintf) {
  int object = 0;
  compare<const void*>("p", {nullptr, &object, reinterpret_cast<const void*>(std::uintptr_t{1}),
                             reinterpret_cast<const void*>(UINTPTR_MAX)});
}

TEST_F(MessageTable, LargestWidthAndPrecisionEqualSnprintf) {
  for (const std::string format : {"%4095d", "%.4095d", "%-4095d|", "%04095x", "%4095.4095i"}) {
    const RecordedCall call(format, {}, -5);
    EXPECT_EQ(call.rendered(), call.expected()) << format;
  }
  for (const std::string format :
       {"%4095f", "%.4095f", "%.4095e", "%#.4095g", "%.4095g", "%.4095a"}) {
    const RecordedCall call(format, {}, 1e308 / 3);
    EXPECT_EQ(call.rendered(), call.expected()) << format;
    const RecordedCall tiny(format, {}, -5e-324);
    EXPECT_EQ(tiny.rendered(), tiny.expected()) << format;
  }
  const RecordedCall wide("%4095.4095Lf", {},
                          recorded_long_double(std::numeric_limits<long double>::lowest()));
  EXPECT_EQ(wide.rendered(), wide.expected());
}

TEST_F(MessageTable, TextAroundConversionsIsKept) {
  for (const std::string format : {"%%%d%%", "%d%%", "a%%b%dc", "%d", "%%%%%d", "100%% of %d\n"}) {
    const RecordedCall call(format, {}, 17);
    EXPECT_EQ(call.rendered(), call.expected()) << format;
  }
}

}  // namespace
}  // namespace ringside::test
