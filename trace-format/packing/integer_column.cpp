#include "trace-format/packing/integer_column.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <optional>
#include <unordered_map>

namespace ringside::trace {
namespace {

using Values = std::vector<std::uint64_t>;
using View = std::span<const std::uint64_t>;

std::uint64_t zigzag(std::uint64_t v) {
  return v << 1 ^ (std::uint64_t{0} - (v >> 63));
}
std::uint64_t unzigzag(std::uint64_t v) {
  return v >> 1 ^ (std::uint64_t{0} - (v & 1));
}

// value = least + step * quotient; quotients of `width` bytes.
struct Range {
  std::uint64_t least = 0;
  std::uint64_t step = 1;
  unsigned width = 0;
};

Range range_of(View values) {
  if (values.empty()) return {};
  // The order, signed or unsigned, in which the values are closer together.
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
  std::uint64_t low = values[0];
  std::uint64_t high = values[0];
  std::uint64_t signed_low = values[0] ^ kSign;
  std::uint64_t signed_high = signed_low;
  for (const std::uint64_t v : values) {
    low = std::min(low, v);
    high = std::max(high, v);
    signed_low = std::min(signed_low, v ^ kSign);
    signed_high = std::max(signed_high, v ^ kSign);
  }
  Range range;
  const bool is_signed = signed_high - signed_low < high - low;
  range.least = is_signed ? signed_low ^ kSign : low;
  const std::uint64_t width = is_signed ? signed_high - signed_low : high - low;
  std::uint64_t step = 0;
  for (const std::uint64_t v : values) {
    step = std::gcd(step, v - range.least);
    if (step == 1) break;
  }
  range.step = std::max<std::uint64_t>(step, 1);
  range.width = static_cast<unsigned>(std::bit_width(width / range.step) + 7) / 8;
  return range;
}

void put_planes(View values, ColumnWriter& out) {
  const Range range = range_of(values);
  out.put_number(range.least);
  out.put_number(range.step);
  out.put_byte(range.width);
  if (range.width == 0) return;
  const std::size_t n = values.size();
  out.cut();
  const std::span<std::byte> planes = out.put_room(n * range.width);
  for (std::size_t i = 0; i < n; ++i) {
    std::uint64_t quotient = values[i] - range.least;
    if (range.step != 1) quotient /= range.step;
    for (unsigned plane = 0; plane < range.width; ++plane, quotient >>= 8) {
      planes[plane * n + i] = static_cast<std::byte>(quotient);
    }
  }
  const std::size_t end = out.bytes().size();
  for (unsigned plane = 1; plane < range.width; ++plane) {
    out.cut_at(end - (range.width - plane) * n);
  }
  out.cut();
}

void take_planes(ColumnReader& in, std::span<std::uint64_t> values) {
  const std::uint64_t least = in.take_number();
  const std::uint64_t step = in.take_number();
  const std::uint64_t width = in.take_byte();
  if (width > 8) in.fail();
  const std::size_t n = values.size();
  const auto planes = in.take_bytes(in.failed() ? 0 : n * width);
  if (in.failed()) return;
  std::fill(values.begin(), values.end(), 0);
  for (std::size_t plane = 0; plane < width; ++plane) {
    const std::byte* const bytes = planes.data() + plane * n;
    for (std::size_t i = 0; i < n; ++i) {
      values[i] |= static_cast<std::uint64_t>(bytes[i]) << (8 * plane);
    }
  }
  for (std::uint64_t& v : values) v = least + step * v;
}

// Bits after an ideal code of single bytes, and a few for the headers of each plane.
double planes_bits(View values) {
  const Range range = range_of(values);
  constexpr double kPlaneBits = 64;
  double bits = 0;
  for (unsigned plane = 0; plane < range.width; ++plane) {
    std::array<std::uint32_t, 256> counts{};
    for (const std::uint64_t v : values) {
      const std::uint64_t quotient =
          range.step == 1 ? v - range.least : (v - range.least) / range.step;
      ++counts[quotient >> (8 * plane) & 0xFF];
    }
    double sum = 0;
    for (const std::uint32_t count : counts) {
      if (count != 0) sum += count * std::log2(count);
    }
    const auto n = static_cast<double>(values.size());
    bits += kPlaneBits + n * std::log2(n) - sum;
  }
  return bits;
}

Values deltas_of(View values) {
  Values deltas;
  deltas.reserve(values.size());
  for (std::size_t i = 1; i < values.size(); ++i) {
    deltas.push_back(zigzag(values[i] - values[i - 1]));
  }
  return deltas;
}

Values second_deltas_of(View values) {
  Values deltas;
  deltas.reserve(values.size());
  for (std::size_t i = 2; i < values.size(); ++i) {
    deltas.push_back(zigzag(values[i] - 2 * values[i - 1] + values[i - 2]));
  }
  return deltas;
}

// Nothing if there are too many for a dictionary to pay.
std::optional<Values> distinct_of(View values, std::size_t most) {
  std::unordered_map<std::uint64_t, bool> seen;
  Values distinct;
  for (const std::uint64_t v : values) {
    if (!seen.emplace(v, true).second) continue;
    if (distinct.size() == most) return std::nullopt;
    distinct.push_back(v);
  }
  std::sort(distinct.begin(), distinct.end());
  return distinct;
}

Values places_of(View values, const Values& distinct) {
  std::unordered_map<std::uint64_t, std::uint64_t> place;
  for (std::size_t i = 0; i < distinct.size(); ++i) place.emplace(distinct[i], i);
  Values places;
  places.reserve(values.size());
  for (const std::uint64_t v : values) places.push_back(place.find(v)->second);
  return places;
}

// A part of a long column that stands for it.
Values sample_of(View values) {
  constexpr std::size_t kRun = 1024;
  constexpr std::size_t kRuns = 8;
  if (values.size() <= kRun * kRuns) return {values.begin(), values.end()};
  Values sample;
  sample.reserve(kRun * kRuns);
  for (std::size_t i = 0; i < kRuns; ++i) {
    const auto run = values.subspan((values.size() - kRun) / (kRuns - 1) * i, kRun);
    sample.insert(sample.end(), run.begin(), run.end());
  }
  return sample;
}

}  // namespace

IntegerChoice choose_integer_model(View all) {
  const Values values = sample_of(all);
  IntegerChoice best{IntegerModel::kOffset, planes_bits(values)};
  // An estimate has noise: a model that costs more time must save more than that.
  constexpr double kNoise = 0.99;
  const auto consider = [&best](IntegerModel model, double bits) {
    if (bits < kNoise * best.bits) best = {model, bits};
  };
  if (best.bits != 0 && values.size() > 2) {
    consider(IntegerModel::kDelta, 64 + planes_bits(deltas_of(values)));
    consider(IntegerModel::kDeltaOfDeltas, 128 + planes_bits(second_deltas_of(values)));
    // More entries than this leave nothing to gain.
    if (const auto distinct = distinct_of(values, values.size() / 4)) {
      consider(IntegerModel::kDictionary,
               planes_bits(*distinct) + planes_bits(places_of(values, *distinct)));
    }
  }
  if (!values.empty()) {
    best.bits *= static_cast<double>(all.size()) / static_cast<double>(values.size());
  }
  return best;
}

void put_integers(View values, ColumnWriter& out) {
  put_integers(values, choose_integer_model(values).model, out);
}

void put_integers(View values, IntegerModel model, ColumnWriter& out) {
  if (values.empty()) return;
  std::optional<Values> distinct;
  if (model == IntegerModel::kDictionary) {
    distinct = distinct_of(values, kMaxColumnDictionary);
    if (!distinct) model = IntegerModel::kOffset;
  }
  out.put_byte(static_cast<unsigned>(model));
  switch (model) {
    case IntegerModel::kOffset:
      put_planes(values, out);
      break;
    case IntegerModel::kDelta:
      out.put_number(values[0]);
      put_planes(deltas_of(values), out);
      break;
    case IntegerModel::kDeltaOfDeltas:
      out.put_number(values[0]);
      if (values.size() > 1) out.put_number(zigzag(values[1] - values[0]));
      put_planes(second_deltas_of(values), out);
      break;
    case IntegerModel::kDictionary:
      out.put_number(distinct->size());
      put_planes(*distinct, out);
      put_planes(places_of(values, *distinct), out);
      break;
  }
}

void take_integers(ColumnReader& in, std::size_t count, Values& values) {
  values.resize(count);
  if (count == 0) return;
  const unsigned model = in.take_byte();
  switch (static_cast<IntegerModel>(model)) {
    case IntegerModel::kOffset:
      return take_planes(in, values);
    case IntegerModel::kDelta:
      values[0] = in.take_number();
      take_planes(in, std::span(values).subspan(1));
      for (std::size_t i = 1; i < count; ++i) values[i] = values[i - 1] + unzigzag(values[i]);
      return;
    case IntegerModel::kDeltaOfDeltas: {
      values[0] = in.take_number();
      std::uint64_t delta = count > 1 ? unzigzag(in.take_number()) : 0;
      if (count > 1) values[1] = values[0] + delta;
      take_planes(in, std::span(values).subspan(std::min<std::size_t>(count, 2)));
      for (std::size_t i = 2; i < count; ++i) {
        delta += unzigzag(values[i]);
        values[i] = values[i - 1] + delta;
      }
      return;
    }
    case IntegerModel::kDictionary: {
      Values distinct(static_cast<std::size_t>(in.take_number(kMaxColumnDictionary)));
      take_planes(in, distinct);
      take_planes(in, values);
      if (in.failed()) return;
      for (std::uint64_t& v : values) {
        if (v >= distinct.size()) return in.fail();
        v = distinct[v];
      }
      return;
    }
  }
  in.fail();
}

}  // namespace ringside::trace
