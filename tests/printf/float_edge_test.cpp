// The cases in which decimal conversion fails first: ties, carries, powers of two and of ten,
// subnormals.
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/printf/recorded_call.hpp"

namespace ringside::test {
namespace {

void compare_at_all_precisions(double number) {
  for (const char conversion : std::string("feg")) {
    for (int precision = 0; precision <= 20; ++precision) {
      const std::string format = "%." + std::to_string(precision) + conversion;
      const RecordedCall call(format, {}, number);
      ASSERT_EQ(call.rendered(), call.expected()) << format;
    }
    const RecordedCall call(std::string("%") + conversion, {}, number);
    ASSERT_EQ(call.rendered(), call.expected());
  }
}

TEST(FloatEdge, PowersOfTwoAndNeighboursEqualSnprintf) {
  for (int exponent = -1074; exponent <= 1023;
       exponent += exponent < -80 || exponent > 80 ? 23 : 1) {
    const double power = std::ldexp(1.0, exponent);
    compare_at_all_precisions(power);
    compare_at_all_precisions(-std::nextafter(power, 0.0));
    compare_at_all_precisions(std::nextafter(power, INFINITY));
  }
}

TEST(FloatEdge, PowersOfTenAndNeighboursEqualSnprintf) {
  for (int exponent = -30; exponent <= 30; ++exponent) {
    const double power = std::pow(10.0, exponent);
    compare_at_all_precisions(power);
    compare_at_all_precisions(std::nextafter(power, 0.0));
    compare_at_all_precisions(-std::nextafter(power, INFINITY));
    compare_at_all_precisions(power * 9.9999999);
  }
}

TEST(FloatEdge, TiesEqualSnprintf) {
  for (int numerator = -300; numerator <= 300; ++numerator) {
    for (const int denominator : {2, 4, 8, 16, 1024}) {
      compare_at_all_precisions(static_cast<double>(numerator) / denominator);
    }
  }
}

}  // namespace
}  // namespace ringside::test
