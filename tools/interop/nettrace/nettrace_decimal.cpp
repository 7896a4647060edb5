#include "tools/interop/nettrace/nettrace_decimal.hpp"

#include <algorithm>
#include <charconv>

#include "trace-format/blocks/little_endian.hpp"

namespace ringside::tool::nettrace {
namespace {

constexpr std::uint32_t kSignBit = std::uint32_t{1} << 31;
constexpr std::uint32_t kScaleBits = 0xFF0000;
constexpr unsigned kScaleShift = 16;
constexpr unsigned kMostScale = 28;
constexpr unsigned kDigitsOfDouble = 15;  // always kept

}  // namespace

std::optional<Decimal> Decimal::read(std::span<const std::byte> bytes) {
  const auto flags = trace::load<std::uint32_t>(bytes.data());
  const auto high = trace::load<std::uint32_t>(bytes.data() + 4);
  const auto low = trace::load<std::uint64_t>(bytes.data() + 8);
  Decimal decimal;
  decimal.digits = static_cast<trace::UInt128>(high) << 64 | low;
  decimal.scale = (flags & kScaleBits) >> kScaleShift;
  decimal.is_negative = (flags & kSignBit) != 0;
  if ((flags & ~(kSignBit | kScaleBits)) != 0 || decimal.scale > kMostScale) return std::nullopt;
  return decimal;
}

std::string Decimal::text() const {
  std::string text;  // from its end
  trace::UInt128 left = digits;
  for (unsigned at = 0; left != 0 || at <= scale; ++at) {
    if (at == scale && scale != 0) text += '.';
    text += static_cast<char>('0' + static_cast<unsigned>(left % 10));
    left /= 10;
  }
  if (is_negative) text += '-';
  std::reverse(text.begin(), text.end());
  return text;
}

double Decimal::number() const {
  const std::string exact = text();
  double number = 0;
  std::from_chars(exact.data(), exact.data() + exact.size(), number);
  return number;
}

bool Decimal::fits_number() const {
  trace::UInt128 left = digits;
  while (left != 0 && left % 10 == 0) left /= 10;
  unsigned significant = 0;
  for (; left != 0; left /= 10) ++significant;
  return significant <= kDigitsOfDouble;
}

}  // namespace ringside::tool::nettrace
