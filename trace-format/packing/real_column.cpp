#include "trace-format/packing/real_column.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>

#include "trace-format/packing/integer_column.hpp"

namespace ringside::trace {
namespace {

using Values = std::vector<std::uint64_t>;
using View = std::span<const std::uint64_t>;

constexpr std::array<double, 16> kRealPowersOfTen = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                     1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
constexpr double kMostDigits = 9007199254740992;  // 2^53: integers up to it are exact

// The quotient of two exact numbers, rounded correctly: the nearest number to the decimal one.
std::uint64_t bits_of(std::uint64_t digits, unsigned exponent, RealWidth width) {
  const double value =
      static_cast<double>(static_cast<std::int64_t>(digits)) / kRealPowersOfTen[exponent];
  if (width == RealWidth::k64) return std::bit_cast<std::uint64_t>(value);
  return std::bit_cast<std::uint32_t>(static_cast<float>(value));
}

std::optional<std::uint64_t> digits_of(std::uint64_t bits, unsigned exponent, RealWidth width) {
  const double value = width == RealWidth::k64
                           ? std::bit_cast<double>(bits)
                           : double{std::bit_cast<float>(static_cast<std::uint32_t>(bits))};
  const double scaled = std::nearbyint(value * kRealPowersOfTen[exponent]);
  if (!(std::fabs(scaled) < kMostDigits)) return std::nullopt;
  const auto digits = static_cast<std::uint64_t>(static_cast<std::int64_t>(scaled));
  if (bits_of(digits, exponent, width) != bits) return std::nullopt;
  return digits;
}

struct Decimals {
  unsigned exponent = 0;
  Values digits;  // of an exception: those of the value before
  Values places;  // of exceptions
  Values exceptions;
};

Decimals decimals_of(View values, unsigned exponent, RealWidth width) {
  Decimals decimals;
  decimals.exponent = exponent;
  decimals.digits.reserve(values.size());
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (const auto digits = digits_of(values[i], exponent, width)) {
      before = *digits;
    } else {
      decimals.places.push_back(i);
      decimals.exceptions.push_back(values[i]);
    }
    decimals.digits.push_back(before);
  }
  return decimals;
}

// The smallest exponent with few exceptions in a sample.
std::optional<unsigned> exponent_of(View values, RealWidth width) {
  constexpr std::size_t kSamples = 256;
  const std::size_t stride = std::max<std::size_t>(values.size() / kSamples, 1);
  for (unsigned exponent = 0; exponent < kRealPowersOfTen.size(); ++exponent) {
    std::size_t tried = 0;
    std::size_t exceptions = 0;
    for (std::size_t i = 0; i < values.size(); i += stride, ++tried) {
      if (!digits_of(values[i], exponent, width)) ++exceptions;
      if (exceptions > 4 + tried / 16) break;
    }
    if (exceptions <= tried / 16) return exponent;
  }
  return std::nullopt;
}

Values xors_of(View values) {
  Values xors(values.begin(), values.end());
  for (std::size_t i = xors.size(); i-- > 1;) xors[i] ^= xors[i - 1];
  return xors;
}

}  // namespace

void put_reals(View values, RealWidth width, ColumnWriter& out) {
  if (values.empty()) return;
  RealModel model = RealModel::kBits;
  double bits = choose_integer_model(values).bits;
  const Values xors = xors_of(values);
  if (const double of_xors = choose_integer_model(xors).bits; of_xors < bits) {
    model = RealModel::kXor;
    bits = of_xors;
  }
  std::optional<Decimals> decimals;
  if (const auto exponent = exponent_of(values, width)) {
    decimals = decimals_of(values, *exponent, width);
    const double of_decimals = choose_integer_model(decimals->digits).bits +
                               72.0 * static_cast<double>(decimals->places.size());
    if (of_decimals < bits) model = RealModel::kDecimal;
  }
  out.put_byte(static_cast<unsigned>(model));
  switch (model) {
    case RealModel::kBits:
      put_integers(values, out);
      break;
    case RealModel::kXor:
      put_integers(xors, out);
      break;
    case RealModel::kDecimal:
      out.put_byte(decimals->exponent);
      put_integers(decimals->digits, out);
      out.put_number(decimals->places.size());
      put_integers(decimals->places, out);
      put_integers(decimals->exceptions, out);
      break;
  }
}

void take_reals(ColumnReader& in, std::size_t count, RealWidth width, Values& values) {
  values.clear();
  if (count == 0) return;
  const unsigned model = in.take_byte();
  switch (static_cast<RealModel>(model)) {
    case RealModel::kBits:
      return take_integers(in, count, values);
    case RealModel::kXor:
      take_integers(in, count, values);
      for (std::size_t i = 1; i < count; ++i) values[i] ^= values[i - 1];
      return;
    case RealModel::kDecimal: {
      const unsigned exponent = in.take_byte();
      if (exponent >= kRealPowersOfTen.size()) return in.fail();
      take_integers(in, count, values);
      for (std::uint64_t& v : values) v = bits_of(v, exponent, width);
      const auto exceptions = static_cast<std::size_t>(in.take_number(count));
      Values places;
      Values bits;
      take_integers(in, exceptions, places);
      take_integers(in, exceptions, bits);
      if (in.failed()) return;
      for (std::size_t i = 0; i < exceptions; ++i) {
        if (places[i] >= count) return in.fail();
        values[static_cast<std::size_t>(places[i])] = bits[i];
      }
      return;
    }
  }
  in.fail();
}

}  // namespace ringside::trace
