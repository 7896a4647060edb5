#include "tools/text/duration.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>
#include <system_error>

#include <fmt/format.h>

namespace ringside::tool {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t ns;
};

constexpr Unit kUnits[] = {{"ns", 1},
                           {"us", 1'000},
                           {"ms", 1'000'000},
                           {"s", 1'000'000'000},
                           {"m", 60'000'000'000},
                           {"h", 3'600'000'000'000},
                           {"d", 86'400'000'000'000}};
constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

}  // namespace

std::optional<std::uint64_t> parse_duration_ns(std::string_view text) {
  std::uint64_t whole = 0;
  const char* const end = text.data() + text.size();
  auto [at, error] = std::from_chars(text.data(), end, whole);
  if (error != std::errc()) return std::nullopt;
  std::uint64_t fraction = 0;
  std::uint64_t scale = 1;
  if (at != end && *at == '.') {
    const char* const first = ++at;
    for (; at != end && *at >= '0' && *at <= '9'; ++at) {
      if (at - first == 9) return std::nullopt;
      fraction = fraction * 10 + static_cast<std::uint64_t>(*at - '0');
      scale *= 10;
    }
    if (at == first) return std::nullopt;
  }
  const std::string_view name(at, static_cast<std::size_t>(end - at));
  const auto unit = std::find_if(std::begin(kUnits), std::end(kUnits),
                                 [&](const Unit& one) { return one.name == name; });
  if (unit == std::end(kUnits) || whole > kMost / unit->ns) return std::nullopt;
  // Below 10^9 units of a fraction of 10^9 each: for days the product does not fit 64 bits.
  const auto part = static_cast<std::uint64_t>(static_cast<long double>(fraction) *
                                               static_cast<long double>(unit->ns) /
                                               static_cast<long double>(scale));
  const std::uint64_t ns = whole * unit->ns;
  return part > kMost - ns ? std::nullopt : std::optional(ns + part);
}

std::string bound_text(std::uint64_t ns) {
  if (ns < 1000) return fmt::format("{} ns", ns);
  const std::uint64_t unit = ns < 1'000'000       ? 1'000
                             : ns < 1'000'000'000 ? 1'000'000
                                                  : 1'000'000'000;
  const std::string_view name = unit == 1'000 ? "us" : unit == 1'000'000 ? "ms" : "s";
  const std::uint64_t tenths = ns / (unit / 10) + (ns % (unit / 10) == 0 ? 0 : 1);
  return fmt::format("{}.{} {}", tenths / 10, tenths % 10, name);
}

}  // namespace ringside::tool
