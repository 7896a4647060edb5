#include "tools/query/histogram_text.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "tools/text/result_table.hpp"

namespace ringside::tool {
namespace {

// At least one mark if the count is not 0.
std::string bar(std::uint64_t count, std::uint64_t most, std::size_t columns, bool ascii) {
  if (count == 0) return {};
  const double share = static_cast<double>(count) / static_cast<double>(most);
  const double whole = share * static_cast<double>(columns);
  if (ascii) {
    return std::string(std::max<std::size_t>(static_cast<std::size_t>(std::lround(whole)), 1), '#');
  }
  static constexpr const char* kEighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto eighths = std::max<std::size_t>(static_cast<std::size_t>(std::lround(whole * 8)), 1);
  std::string text;
  for (std::size_t i = 0; i < eighths / 8; ++i) text += "█";
  return text + kEighths[eighths % 8];
}

}  // namespace

std::string histogram_text(const trace::query::Histogram& histogram, const HistogramStyle& style) {
  constexpr std::size_t kLeastBar = 10;
  std::vector<std::string> edges;
  std::size_t edge_columns = 0;
  for (std::size_t row = 0; row <= histogram.rows(); ++row) {
    edges.push_back(Cell::of_number(histogram.edge(row), TableFormat::kText).text);
    edge_columns = std::max(edge_columns, edges.back().size());
  }
  const std::uint64_t most = std::max<std::uint64_t>(histogram.most(), 1);
  const std::size_t count_columns = std::to_string(most).size();
  const std::size_t used = 2 * edge_columns + count_columns + 6;
  const std::size_t columns =
      std::max(kLeastBar, style.columns > used ? style.columns - used : std::size_t{0});
  std::string text;
  for (std::size_t row = 0; row < histogram.rows(); ++row) {
    std::string line =
        fmt::format("{:>{}} .. {:>{}} {:>{}} ", edges[row], edge_columns, edges[row + 1],
                    edge_columns, histogram.count(row), count_columns) +
        bar(histogram.count(row), most, columns, style.ascii);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace ringside::tool
