#include "tools/report/heat_part.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <string_view>
#include <tuple>
#include <utility>

#include <nlohmann/json.hpp>

#include "shm-layout/dictionary_entry.hpp"
#include "shm-layout/field_type.hpp"
#include "tools/report/halved.hpp"
#include "tools/text/first_bytes.hpp"

namespace ringside::tool {

using nlohmann::json;

namespace {

constexpr std::size_t kMostFieldNameBytes = 1'000;

bool has_number(const trace::Field& field) {
  using shm::FieldType;
  // Widths and precisions of a format are not what the statement reports.
  if (field.is_array || (field.flags & (shm::kFieldConstant | shm::kFieldFormatArg)) != 0)
    return false;
  return shm::is_integer(field.type) || field.type == FieldType::f32 ||
         field.type == FieldType::f64 || field.type == FieldType::f80;
}

// Of a statement.
bool is_same(const HeatField& a, const HeatField& b) {
  return a.is_duration == b.is_duration && a.name == b.name &&
         (!a.name.empty() || a.index == b.index);
}

std::size_t cells_of(HeatField& field, const TimeGrid& grid) {
  std::size_t cells = 0;
  for (const auto& row : field.map.sorted(grid)) {
    const auto& counts = row->counts.counts(grid);
    cells += counts.size() - static_cast<std::size_t>(std::count(counts.begin(), counts.end(), 0U));
  }
  return cells;
}

void fit(const std::vector<HeatField*>& fields, const TimeGrid& grid, std::size_t most_cells) {
  std::vector<std::size_t> cells;
  cells.reserve(fields.size());
  for (HeatField* const field : fields) cells.push_back(cells_of(*field, grid));
  while (std::accumulate(cells.begin(), cells.end(), std::size_t{0}) > most_cells) {
    const auto most =
        static_cast<std::size_t>(std::max_element(cells.begin(), cells.end()) - cells.begin());
    fields[most]->map.coarsen(grid);
    cells[most] = cells_of(*fields[most], grid);
  }
}

// The class and its counts: hundreds of thousands of numbers, so no document is made of them.
class ClassText {
 public:
  explicit ClassText(std::string& out) : out_(out) {}

  void add(std::int64_t number) {
    if (kDigits > buffer_.size() - used_) flush();
    const auto end = std::to_chars(buffer_.data() + used_, buffer_.data() + buffer_.size(), number);
    used_ = static_cast<std::size_t>(end.ptr - buffer_.data());
  }
  void add(std::string_view mark) {
    if (mark.size() > buffer_.size() - used_) flush();
    used_ += mark.copy(buffer_.data() + used_, mark.size());
  }
  void flush() {
    out_.append(buffer_.data(), used_);
    used_ = 0;
  }

 private:
  static constexpr std::size_t kDigits = 20;

  std::string& out_;
  std::size_t used_ = 0;
  std::array<char, 4096> buffer_;
};

std::string classes_text(HeatField& field, const TimeGrid& grid) {
  std::string out;
  ClassText text(out);
  text.add("[");
  std::string_view separator = "[";
  for (const auto& row : field.map.sorted(grid)) {
    text.add(separator);
    separator = ",[";
    text.add(row->number);
    const auto& counts = row->counts.counts(grid);
    std::size_t last = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (counts[i] == 0) continue;
      text.add(",");
      text.add(static_cast<std::int64_t>(i - last));
      text.add(",");
      text.add(counts[i]);
      last = i;
    }
    text.add("]");
  }
  text.add("]");
  text.flush();
  return out;
}

std::string field_text(HeatField& field, const TimeGrid& grid) {
  const std::string classes = classes_text(field, grid);
  json document{{"statement", field.statement},
                {"values", field.map.values()},
                {"not_finite", field.not_finite},
                {"shift", field.map.shift()}};
  if (field.is_duration) {
    document["kind"] = "duration";
  } else {
    document["kind"] = "argument";
    document["index"] = field.index;
    document["name"] = first_bytes(field.name, kMostFieldNameBytes);
  }
  if (field.map.values() != 0) {
    document["least"] = field.map.least();
    document["most"] = field.map.most();
  }
  // Names come from services and need not be UTF-8.
  const std::string rest = document.dump(-1, ' ', false, json::error_handler_t::replace);
  return "{\"classes\":" + classes + "," + rest.substr(1);
}

}  // namespace

HeatField* HeatPart::argument_field(std::uint32_t statement, const trace::Site& site,
                                    std::uint16_t index) {
  if (!has_number(site.fields[index])) return nullptr;
  HeatField wanted;
  wanted.statement = statement;
  wanted.index = index;
  wanted.name = site.fields[index].name;
  return field_like(std::move(wanted));
}

HeatField* HeatPart::duration_field(std::uint32_t statement) {
  HeatField wanted;
  wanted.statement = statement;
  wanted.is_duration = true;
  return field_like(std::move(wanted));
}

HeatField* HeatPart::field_like(HeatField wanted) {
  if (wanted.statement >= by_statement_.size())
    by_statement_.resize(std::size_t{wanted.statement} + 1);
  std::vector<HeatField*>& known = by_statement_[wanted.statement];
  for (HeatField* const field : known) {
    if (is_same(*field, wanted)) return field;
  }
  if (fields_.size() == kMostKnownFields) return nullptr;
  fields_.push_back(std::make_unique<HeatField>(std::move(wanted)));
  known.push_back(fields_.back().get());
  return known.back();
}

void HeatPart::add(HeatField& field, const NumberRun& run) {
  if (field.is_forgotten) [[unlikely]]
    return;
  const std::size_t before = field.map.rows();
  field.map.add(run);
  rows_ += field.map.rows() - before;
  if (rows_ > kMostRows) [[unlikely]]
    forget_half();
}

void HeatPart::forget_half() {
  std::vector<HeatField*> known;
  for (const auto& field : fields_) {
    if (field->map.rows() != 0) known.push_back(field.get());
  }
  std::sort(known.begin(), known.end(), [](const HeatField* a, const HeatField* b) {
    return a->map.values() < b->map.values();
  });
  known.resize(known.size() / 2);
  for (HeatField* const field : known) {
    rows_ -= field->map.rows();
    field->map = ValueMap();
    field->is_forgotten = true;
  }
}

std::vector<HeatField*> HeatPart::fields_of(std::uint32_t statement) const {
  std::vector<HeatField*> fields;
  if (statement >= by_statement_.size()) return fields;
  std::copy_if(by_statement_[statement].begin(), by_statement_[statement].end(),
               std::back_inserter(fields),
               [](const HeatField* field) { return !field->is_forgotten; });
  return fields;
}

HeatField* HeatPart::same_field(std::uint32_t statement, const HeatField& other) const {
  for (HeatField* const field : fields_of(statement)) {
    if (is_same(*field, other)) return field;
  }
  return nullptr;
}

std::vector<HeatField*> HeatPart::shown_fields(std::size_t most_fields) {
  std::vector<HeatField*> fields;
  for (const auto& field : fields_) {
    if (field->map.values() != 0) fields.push_back(field.get());
  }
  std::stable_sort(fields.begin(), fields.end(), [](const HeatField* a, const HeatField* b) {
    return a->map.values() > b->map.values();
  });
  if (fields.size() > most_fields) fields.resize(most_fields);
  std::stable_sort(fields.begin(), fields.end(), [](const HeatField* a, const HeatField* b) {
    return std::tie(a->statement, a->is_duration, a->index) <
           std::tie(b->statement, b->is_duration, b->index);
  });
  return fields;
}

std::string HeatPart::document(const TimeGrid& grid, unsigned level) {
  // The widest classes of all fields have fewer cells than this.
  constexpr unsigned kWidestLevel = 3;
  const unsigned left_out = level - std::min(level, kWidestLevel);
  const std::vector<HeatField*> shown = shown_fields(halved(kMostFields, left_out));
  fit(shown, grid, halved(kMostCells, std::min(level, kWidestLevel)));
  std::string fields;
  for (HeatField* const field : shown)
    fields += (fields.empty() ? "" : ",") + field_text(*field, grid);
  return "{\"fields\":[" + fields +
         "],\"further_fields\":" + std::to_string(fields_.size() - shown.size()) + "}";
}

}  // namespace ringside::tool
