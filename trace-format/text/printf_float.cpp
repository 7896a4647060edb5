#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <locale.h>
#include <string_view>

#include "shm-layout/printf_spec.hpp"
#include "trace-format/text/printf_number.hpp"
#include "trace-format/text/value.hpp"

namespace ringside::trace {
namespace {

using namespace shm::printf_flag;

// "%f" of the largest x87 number has 4,933 digits before the point.
constexpr std::size_t kMaxFloatBytes = 4933 + 1 + shm::kMaxPrintfPrecision + 64;

constexpr std::uint64_t kPowersOfTen[] = {
    1, 10, 100, 1'000, 10'000, 100'000, 1'000'000, 10'000'000, 100'000'000, 1'000'000'000};
constexpr int kMaxSmallPrecision = 9;

// The digits of |number| with `precision` places, rounded half to even on the exact binary value;
// null if the result does not fit the 64-bit arithmetic. Writes up to 32 bytes.
char* small_fixed(std::uint64_t magnitude_bits, int precision, char* out) {
  const auto biased = static_cast<int>(magnitude_bits >> 52);
  const std::uint64_t fraction = magnitude_bits & ((std::uint64_t{1} << 52) - 1);
  const std::uint64_t mantissa = biased == 0 ? fraction : fraction | (std::uint64_t{1} << 52);
  const int shift = 1075 - (biased == 0 ? 1 : biased);  // number = mantissa / 2^shift
  if (shift < 0) return nullptr;
  const UInt128 scaled = static_cast<UInt128>(mantissa) * kPowersOfTen[precision];
  std::uint64_t rounded = 0;
  if (shift < 100) {  // otherwise a product of 83 bits is under one half
    const UInt128 quotient = scaled >> shift;
    if (static_cast<std::uint64_t>(quotient >> 63) != 0) return nullptr;
    rounded = static_cast<std::uint64_t>(quotient);
    if (shift > 0) {
      const UInt128 rest = scaled - (quotient << shift);
      const UInt128 half = UInt128{1} << (shift - 1);
      if (rest > half || (rest == half && (rounded & 1) != 0)) ++rounded;
    }
  }
  const std::uint64_t whole = rounded / kPowersOfTen[precision];
  std::uint64_t decimals = rounded % kPowersOfTen[precision];
  out = std::to_chars(out, out + 20, whole).ptr;
  if (precision == 0) return out;
  *out++ = '.';
  for (int place = precision; place-- > 0; decimals /= 10) {
    out[place] = static_cast<char>('0' + decimals % 10);
  }
  return out + precision;
}

std::uint64_t magnitude_bits(double number) {
  return std::bit_cast<std::uint64_t>(number) & ~(std::uint64_t{1} << 63);
}

void write_signed_digits(TextSink& sink, bool negative, std::string_view digits, bool may_zero_fill,
                         const NumberStyle& style) {
  char sign = 0;
  if (negative) {
    sign = '-';
  } else if ((style.flags & kPlus) != 0) {
    sign = '+';
  } else if ((style.flags & kSpace) != 0) {
    sign = ' ';
  }
  const auto width = static_cast<std::size_t>(style.width);
  const std::size_t used = digits.size() + (sign != 0 ? 1 : 0);
  const std::size_t padding = width > used ? width - used : 0;
  const bool left = (style.flags & kMinus) != 0;
  const bool zero_fill = may_zero_fill && !left && (style.flags & kZero) != 0;
  if (!left && !zero_fill) sink.fill(' ', padding);
  if (sign != 0) sink.put(sign);
  if (zero_fill) sink.fill('0', padding);
  sink.write(digits);
  if (left) sink.fill(' ', padding);
}

// A separate function so that only numbers that need it pay for such a large frame.
[[gnu::noinline]] void write_any_float(TextSink& sink, double number, const NumberStyle& style) {
  char buffer[kMaxFloatBytes];
  std::chars_format form = std::chars_format::general;
  const char lower = static_cast<char>(style.conversion | 0x20);
  if (lower == 'e') form = std::chars_format::scientific;
  if (lower == 'f') form = std::chars_format::fixed;
  const int precision = style.precision < 0 ? 6 : style.precision;
  char* const end =
      std::to_chars(buffer, buffer + sizeof buffer, std::fabs(number), form, precision).ptr;
  if (lower != style.conversion) {
    for (char* digit = buffer; digit != end; ++digit) {
      if (*digit == 'e') *digit = 'E';
    }
  }
  write_signed_digits(sink, std::signbit(number), {buffer, static_cast<std::size_t>(end - buffer)},
                      true, style);
}

// A program may have set a locale with another decimal point; message texts must not depend on
// that.
class CLocaleScope {
 public:
  CLocaleScope() : previous_(uselocale(c_locale())) {}
  ~CLocaleScope() { uselocale(previous_); }
  CLocaleScope(const CLocaleScope&) = delete;
  CLocaleScope& operator=(const CLocaleScope&) = delete;

 private:
  static locale_t c_locale() {
    static const locale_t kLocale = newlocale(LC_ALL_MASK, "C", nullptr);
    return kLocale;
  }

  locale_t previous_;
};

template <typename Float>
void write_by_library(TextSink& sink, Float number, const char* spec, const NumberStyle& style) {
  static_assert(kMaxFloatBytes > static_cast<std::size_t>(shm::kMaxPrintfWidth));
  // An argument may request left justification, which the prepared text does not have.
  const int width = (style.flags & kMinus) != 0 ? -style.width : style.width;
  char buffer[kMaxFloatBytes];
  const CLocaleScope scope;
  const int bytes = std::snprintf(buffer, sizeof buffer, spec, width, style.precision, number);
  if (bytes < 0) return;
  const auto wanted = static_cast<std::size_t>(bytes);
  sink.write({buffer, wanted < sizeof buffer ? wanted : sizeof buffer - 1});
}

}  // namespace

bool write_small_fixed(TextSink& sink, double number, int precision) {
  if (precision < 0 || precision > kMaxSmallPrecision) return false;
  char* const begin = sink.reserve(33);
  char* digits = begin;
  if (std::signbit(number)) *digits++ = '-';
  char* const end = small_fixed(magnitude_bits(number), precision, digits);
  if (end == nullptr) return false;
  sink.commit(end);
  return true;
}

void write_float(TextSink& sink, double number, const NumberStyle& style) {
  if (!std::isfinite(number)) {
    const bool upper = style.conversion < 'a';
    const std::string_view lower_name = std::isnan(number) ? "nan" : "inf";
    const std::string_view upper_name = std::isnan(number) ? "NAN" : "INF";
    write_signed_digits(sink, std::signbit(number), upper ? upper_name : lower_name, false, style);
    return;
  }
  const int precision = style.precision < 0 ? 6 : style.precision;
  if ((style.conversion | 0x20) == 'f' && precision <= kMaxSmallPrecision) {
    char buffer[32];
    if (const char* end = small_fixed(magnitude_bits(number), precision, buffer)) {
      write_signed_digits(sink, std::signbit(number),
                          {buffer, static_cast<std::size_t>(end - buffer)}, true, style);
      return;
    }
  }
  write_any_float(sink, number, style);
}

void write_library_float(TextSink& sink, double number, const char* spec,
                         const NumberStyle& style) {
  write_by_library(sink, number, spec, style);
}

void write_library_float(TextSink& sink, long double number, const char* spec,
                         const NumberStyle& style) {
  write_by_library(sink, number, spec, style);
}

}  // namespace ringside::trace
