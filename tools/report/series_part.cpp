#include "tools/report/series_part.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>

#include "shm-layout/field_type.hpp"
#include "shm-layout/span_id_field.hpp"
#include "tools/report/halved.hpp"
#include "tools/text/first_bytes.hpp"

namespace ringside::tool {

using nlohmann::json;

namespace {

constexpr std::size_t kMostCurveNameBytes = 1'000;

bool is_drawn(const trace::Field& field) {
  using enum shm::FieldType;
  if (field.is_array || field.is_constant() || field.name == shm::kSpanIdField) return false;
  return field.type == f32 || field.type == f64 ||
         (shm::is_integer(field.type) && field.type != i128 && field.type != u128);
}

// For a curve five digits are enough.
json rounded(double number) {
  constexpr double kMostExact = 1e15;
  if (std::abs(number) < kMostExact && number == std::floor(number))
    return static_cast<std::int64_t>(number);
  if (!std::isfinite(number)) return 0;
  const double digits = 4 - std::floor(std::log10(std::abs(number)));
  if (std::abs(digits) > 300) return number;
  const double scale = std::pow(10.0, std::abs(digits));
  return digits < 0 ? std::round(number / scale) * scale : std::round(number * scale) / scale;
}

}  // namespace

NumberExtent NumberExtent::operator+(const NumberExtent& other) const {
  if (count == 0) return other;
  if (other.count == 0) return *this;
  return {count + other.count, sum + other.sum, std::min(least, other.least),
          std::max(most, other.most)};
}

SeriesPart::Numbers* SeriesPart::numbers_of(std::uint32_t statement, const trace::Site& site,
                                            std::uint16_t index) {
  const trace::Field& wanted = site.fields[index];
  if (!is_drawn(wanted)) return nullptr;
  if (statement >= statements_.size()) statements_.resize(std::size_t{statement} + 1);
  std::vector<Field>& known = statements_[statement];
  for (const Field& field : known) {
    if (field.name == wanted.name && (!field.name.empty() || field.index == index))
      return field.numbers;
  }
  const bool is_counter = site.kind == shm::SiteKind::kCounter;
  const bool is_full =
      is_counter ? counters_ >= kMostCounters : series_.size() - counters_ >= kMostSeries;
  Field& field = known.emplace_back(Field{wanted.name, index, nullptr});
  if (known.size() > kMostFields || is_full) {
    ++further_;
    return nullptr;
  }
  if (is_counter) ++counters_;
  series_.push_back(std::make_unique<Series>());
  series_.back()->statement = statement;
  series_.back()->field = wanted.name;
  series_.back()->is_counter = is_counter;
  return field.numbers = &series_.back()->numbers;
}

void SeriesPart::add(Numbers& numbers, const NumberRun& run) {
  numbers.add(run.grid, run.interval,
              {static_cast<double>(run.values.size()), run.sum, run.least, run.most});
}

json SeriesPart::document(const TimeGrid& grid, unsigned level) {
  json all = json::array();
  for (const auto& series : series_) {
    if (all.size() == halved(kMostSeries + kMostCounters, level)) break;
    json over_time = json::array();
    const auto& numbers = series->numbers.counts(grid);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const NumberExtent& one = numbers[i];
      if (one.count == 0) continue;
      over_time.insert(over_time.end(),
                       {json(i), json(static_cast<std::uint64_t>(one.count)), rounded(one.least),
                        rounded(one.most), rounded(one.sum / one.count)});
    }
    all.push_back({{"statement", series->statement},
                   {"field", first_bytes(series->field, kMostCurveNameBytes)},
                   {"is_counter", series->is_counter},
                   {"over_time", std::move(over_time)}});
  }
  const std::uint64_t further = further_ + series_.size() - all.size();
  return {{"series", std::move(all)}, {"further", further}};
}

}  // namespace ringside::tool
