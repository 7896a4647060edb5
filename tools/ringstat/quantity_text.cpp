#include "tools/ringstat/quantity_text.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

namespace ringside::tool {
namespace {

std::string scaled(double number, double step, std::span<const char* const> units) {
  std::size_t unit = 0;
  while (number >= step * 0.9995 && unit + 1 < units.size()) {
    number /= step;
    ++unit;
  }
  if (unit == 0) return fmt::format("{:.0f}{}", number, units[0]);
  const int decimals = number < 9.995 ? 2 : number < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f}{}", number, decimals, units[unit]);
}

}  // namespace

std::string count_text(double number) {
  static constexpr const char* kUnits[] = {"", "k", "M", "G", "T", "P", "E"};
  return scaled(number, 1000, kUnits);
}

std::string bytes_text(double bytes) {
  static constexpr const char* kUnits[] = {" B", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB"};
  return scaled(bytes, 1024, kUnits);
}

std::string nanoseconds_text(double ns) {
  static constexpr const char* kUnits[] = {" ns", " us", " ms", " s"};
  return scaled(ns, 1000, kUnits);
}

std::string seconds_text(std::optional<double> seconds) {
  if (!seconds || !std::isfinite(*seconds)) return "-";
  if (*seconds < 0.9995) return fmt::format("{:.0f} ms", *seconds * 1000);
  if (*seconds < 99.95) return fmt::format("{:.1f} s", *seconds);
  if (*seconds < 5970) return fmt::format("{:.0f} min", *seconds / 60);
  if (*seconds < 356'400) return fmt::format("{:.0f} h", *seconds / 3600);
  return "days";
}

std::string bar_text(std::uint64_t permille, std::uint64_t mark_permille, std::size_t width) {
  std::string bar(width, '.');
  const auto place = [width](std::uint64_t part) {
    return static_cast<std::size_t>(std::min<std::uint64_t>(part, 1000)) * width / 1000;
  };
  std::fill_n(bar.begin(), place(permille), '#');
  // Any value above 0 is visible.
  if (permille > 0 && width > 0) bar[0] = '#';
  if (mark_permille > 0 && width > 0) bar[std::min(place(mark_permille), width - 1)] = '|';
  return bar;
}

std::string sparkline_text(std::span<const double> numbers, std::size_t width, bool unicode) {
  static constexpr const char* kBlocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  static constexpr const char* kAscii[] = {"_", ".", ",", "-", "=", "+", "*", "#"};
  const auto latest = numbers.last(std::min(width, numbers.size()));
  const double most = latest.empty() ? 0 : *std::max_element(latest.begin(), latest.end());
  std::string line;
  for (const double number : latest) {
    const double part = most > 0 ? number / most : 0;
    const auto step = std::min<std::size_t>(static_cast<std::size_t>(part * std::size(kBlocks)),
                                            std::size(kBlocks) - 1);
    line += unicode ? kBlocks[step] : kAscii[step];
  }
  return line;
}

}  // namespace ringside::tool
