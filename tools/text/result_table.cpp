#include "tools/text/result_table.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "tools/text/first_bytes.hpp"
#include "trace-format/lines/json_text.hpp"
#include "trace-format/lines/visible_text.hpp"

namespace ringside::tool {
namespace {

std::string csv_cell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

std::string json_cell(const Cell& cell, bool is_bounded) {
  if (cell.is_number) return cell.text;
  const std::string_view text = cell.text;
  return trace::quoted_json_text(is_bounded ? first_bytes(text, kMostTextInJson) : text);
}

std::string joined(const std::vector<std::string>& parts, std::string_view between) {
  return fmt::format("{}", fmt::join(parts, between));
}

// Columns on a terminal: continuation bytes of UTF-8 take none.
std::size_t text_columns(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

}  // namespace

Cell Cell::of_number(double number, TableFormat format) {
  if (!std::isfinite(number)) return {fmt::format("{}", number), false};
  constexpr double kWhole = 1e15;
  if (number == std::floor(number) && std::abs(number) < kWhole) {
    return {fmt::format("{:.0f}", number + 0.0), true};
  }
  return {format == TableFormat::kText ? fmt::format("{:.6g}", number) : fmt::format("{}", number),
          true};
}

std::string ResultTable::text(TableFormat format, bool for_terminal) const {
  switch (format) {
    case TableFormat::kText:
      return as_text();
    case TableFormat::kJson:
      return as_json();
    case TableFormat::kCsv:
      return as_csv(for_terminal);
  }
  return {};
}

std::string ResultTable::as_text() const {
  std::string text;
  for (const auto& [name, value] : facts_) text += name + ": " + trace::visible(value.text) + "\n";
  if (columns_.empty()) return text;
  std::vector<std::vector<std::string>> lines{columns_};
  for (const auto& row : rows_) {
    std::vector<std::string>& line = lines.emplace_back();
    for (const Cell& cell : row) line.push_back(trace::visible(cell.text));
  }
  std::vector<std::size_t> widths(columns_.size());
  std::vector<bool> numbers(columns_.size(), !rows_.empty());
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      widths[i] = std::max(widths[i], text_columns(line[i]));
    }
  }
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) numbers[i] = numbers[i] && row[i].is_number;
  }
  for (const auto& line : lines) {
    std::string printed;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const std::string blanks(widths[i] - text_columns(line[i]), ' ');
      if (i > 0) printed += "  ";
      printed += numbers[i] ? blanks + line[i] : line[i] + blanks;
    }
    printed.erase(printed.find_last_not_of(' ') + 1);
    text += printed + "\n";
  }
  return text;
}

std::string ResultTable::as_json() const {
  const bool is_bounded = most_rows_ != 0;
  std::vector<std::string> left_out;
  // How many of `all` are printed.
  const auto bound = [&](std::size_t all, const std::string& name) {
    if (!is_bounded || all <= most_rows_) return all;
    left_out.push_back(fmt::format("{}:{}", trace::quoted_json_text(name), all - most_rows_));
    return most_rows_;
  };
  std::vector<std::string> members;
  for (std::size_t i = 0; i < facts_.size(); ++i) {
    const std::string& name = facts_[i].first;
    std::vector<std::string> values;
    const auto first = std::find_if(facts_.begin(), facts_.end(),
                                    [&](const auto& fact) { return fact.first == name; });
    if (first != facts_.begin() + static_cast<std::ptrdiff_t>(i)) continue;
    for (const auto& [other, value] : facts_) {
      if (other == name) values.push_back(json_cell(value, is_bounded));
    }
    // Sites are always a list, even a single one, so that programs need not check.
    const bool list = values.size() > 1 || name.find("site") != std::string::npos;
    values.resize(bound(values.size(), name));
    members.push_back(trace::quoted_json_text(name) + ":" +
                      (list ? "[" + joined(values, ",") + "]" : values.front()));
  }
  std::vector<std::string> rows;
  const std::size_t shown = bound(rows_.size(), "rows");
  for (std::size_t row = 0; row < shown; ++row) {
    std::vector<std::string> cells;
    for (std::size_t i = 0; i < rows_[row].size(); ++i) {
      cells.push_back(trace::quoted_json_text(columns_[i]) + ":" +
                      json_cell(rows_[row][i], is_bounded));
    }
    rows.push_back("{" + joined(cells, ",") + "}");
  }
  members.push_back("\"rows\":[" + joined(rows, ",") + "]");
  if (!left_out.empty()) members.push_back("\"left_out\":{" + joined(left_out, ",") + "}");
  return "{" + joined(members, ",") + "}\n";
}

std::string ResultTable::as_csv(bool for_terminal) const {
  std::string text;
  const auto add_line = [&text](const std::vector<std::string>& cells) {
    text += joined(cells, ",") + "\n";
  };
  std::vector<std::string> names;
  names.reserve(columns_.size());
  for (const std::string& name : columns_)
    names.push_back(csv_cell(for_terminal ? trace::visible(name) : name));
  add_line(names);
  for (const auto& row : rows_) {
    std::vector<std::string> cells;
    cells.reserve(row.size());
    for (const Cell& cell : row)
      cells.push_back(csv_cell(for_terminal ? trace::visible(cell.text) : cell.text));
    add_line(cells);
  }
  return text;
}

}  // namespace ringside::tool
