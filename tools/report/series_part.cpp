#include "tools/report/series_part.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>

#include "shm-layout/field_type.hpp"
#include "shm-layout/span_id_field.hpp"
#include "tools/report/value_number.hpp"
#include "trace-format/codec/site_table.hpp"

namespace ringside::tool {

using nlohmann::json;

namespace {

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

void SeriesPart::know(Statement& statement, const ReportEvent& event) {
  statement.is_known = true;
  const trace::Site& site = *event.event.record.site;
  const bool is_counter = site.kind == shm::SiteKind::kCounter;
  for (std::size_t i = 0; i < site.fields.size(); ++i) {
    if (!is_drawn(site.fields[i])) continue;
    const bool is_full =
        is_counter ? counters_ >= kMostCounters : series_.size() - counters_ >= kMostSeries;
    if (statement.fields == kMostFields || is_full) {
      ++further_;
      continue;
    }
    if (is_counter) ++counters_;
    auto series = std::make_unique<Series>();
    statement.places[statement.fields++] = {static_cast<std::uint16_t>(i), &series->numbers};
    series->statement = event.place.site->number;
    series->field = site.fields[i].name;
    series->is_counter = is_counter;
    series_.push_back(std::move(series));
  }
}

void SeriesPart::add(const ReportEvent& event) {
  if (event.event.kind != trace::EventKind::kRecord) return;
  const std::uint32_t number = event.place.site->number;
  if (number >= statements_.size()) [[unlikely]]
    statements_.resize(std::size_t{number} + 1);
  Statement& statement = statements_[number];
  if (!statement.is_known) [[unlikely]]
    know(statement, event);
  const auto& args = event.event.record.args;
  for (std::size_t i = 0; i < statement.fields; ++i) {
    // Statements of several versions of a service can have different fields.
    if (statement.places[i].field >= args.size()) continue;
    const trace::Value& value = args[statement.places[i].field];
    const bool is_number = value.type == shm::FieldType::f32 || value.type == shm::FieldType::f64 ||
                           shm::is_integer(value.type);
    if (!is_number) continue;
    const double number_now = double_of(value);
    if (!std::isfinite(number_now)) continue;
    statement.places[i].numbers->at(event.grid, event.interval).add(number_now);
  }
}

json SeriesPart::document(const TimeGrid& grid) {
  json all = json::array();
  for (const auto& series : series_) {
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
                   {"field", series->field},
                   {"is_counter", series->is_counter},
                   {"over_time", std::move(over_time)}});
  }
  return {{"series", std::move(all)}, {"further", further_}};
}

}  // namespace ringside::tool
