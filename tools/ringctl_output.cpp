#include "tools/ringctl_output.hpp"

#include <cstdint>
#include <cstdio>

#include <fmt/format.h>

#include "tools/visible_text.hpp"

namespace ringside::tool {
namespace {

struct Unit {
  std::uint64_t ns;
  const char* name;
};

constexpr Unit kUnits[] = {{86'400'000'000'000, "d"}, {3'600'000'000'000, "h"},
                           {60'000'000'000, "m"},     {1'000'000'000, "s"},
                           {1'000'000, "ms"},         {1'000, "us"}};

}  // namespace

void complain(std::string_view text) {
  const std::string line = "ringctl: " + visible(text) + "\n";
  std::fputs(line.c_str(), stderr);
}

void say(std::string_view text) {
  std::puts(visible(text).c_str());
  std::fflush(stdout);
}

void say_json(const nlohmann::ordered_json& object) {
  std::puts(object.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace).c_str());
  std::fflush(stdout);
}

std::string duration_text(std::uint64_t ns) {
  for (const Unit& unit : kUnits) {
    if (ns < unit.ns) continue;
    std::string number =
        fmt::format("{:.3f}", static_cast<double>(ns) / static_cast<double>(unit.ns));
    while (number.ends_with('0')) number.pop_back();
    if (number.ends_with('.')) number.pop_back();
    return number + unit.name;
  }
  return fmt::format("{}ns", ns);
}

}  // namespace ringside::tool
