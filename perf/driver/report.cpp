#include "perf/driver/report.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

namespace ringside::perf {
namespace {

// The keys that distinguish this result from others of its row, as "p=p99.9".
std::string circumstances(const Result& line) {
  std::string text;
  for (const auto& [key, value] : line.items()) {
    if (is_common_key(key)) continue;
    if (!text.empty()) text += ' ';
    text += fmt::format("{}={}", key, value.is_string() ? value.get<std::string>() : value.dump());
  }
  return text;
}

std::string number(const Result& line, const char* key) {
  const auto found = line.find(key);
  if (found == line.end() || !found->is_number()) return "-";
  const auto value = found->get<double>();
  return value >= 1e5 ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
}

std::string verdict(const Result& line) {
  const auto target = line.find("target");
  if (target == line.end()) return {};
  const bool at_most = target->contains("at_most");
  return fmt::format(
      "{} {} {}", at_most ? "<=" : ">=", target->at(at_most ? "at_most" : "at_least").get<double>(),
      target->at("met").get<bool>() ? "met" : "MISSED");
}

void add_row(std::string& out, const std::string& row, const std::vector<Result>& lines) {
  fmt::format_to(std::back_inserter(out), "\n{}\n", row);
  fmt::format_to(std::back_inserter(out), "  {:<10} {:<16} {:<34} {:<16} {:>10} {:>21} {:>10} {}\n",
                 "subject", "case", "", "metric", "median", "quartiles", "quietest", "unit");
  for (const Result& line : lines) {
    if (text_of(line, "row") != row) continue;
    fmt::format_to(std::back_inserter(out),
                   "  {:<10} {:<16} {:<34} {:<16} {:>10} {:>10} {:>10} {:>10} {:<10} {}\n",
                   text_of(line, "subject"), text_of(line, "case"), circumstances(line),
                   text_of(line, "metric"), number(line, "median"), number(line, "low"),
                   number(line, "high"), number(line, "best"), text_of(line, "unit"),
                   verdict(line));
  }
}

}  // namespace

std::string as_tables(const Results& results) {
  std::string out;
  std::vector<std::string> rows;  // in the order of their first result
  for (const Result& line : results.lines) {
    const std::string row = text_of(line, "row");
    if (std::find(rows.begin(), rows.end(), row) == rows.end()) rows.push_back(row);
  }
  for (const std::string& row : rows) add_row(out, row, results.lines);
  if (!results.not_measured.empty()) out += "\nnot measured\n";
  for (const NotMeasured& one : results.not_measured) {
    fmt::format_to(std::back_inserter(out), "  {:<10} {}: {}\n", one.subject,
                   fmt::join(one.rows, ", "), one.reason);
  }
  return out;
}

}  // namespace ringside::perf
