#include "tools/ringctl/ringctl_output.hpp"

#include <cerrno>
#include <cstdint>
#include <cstdio>

#include <fmt/format.h>

#include "tools/ringctl/ringctl_exit_codes.hpp"
#include "tools/text/error_text.hpp"
#include "tools/text/standard_descriptors.hpp"
#include "trace-format/lines/visible_text.hpp"

namespace ringside::tool {
namespace {

struct Unit {
  std::uint64_t ns;
  const char* name;
};

constexpr Unit kUnits[] = {{86'400'000'000'000, "d"}, {3'600'000'000'000, "h"},
                           {60'000'000'000, "m"},     {1'000'000'000, "s"},
                           {1'000'000, "ms"},         {1'000, "us"}};

int g_output_error = 0;  // errno of the first incomplete write to standard output

}  // namespace

void complain(std::string_view text) {
  const std::string line = "ringctl: " + trace::visible(text) + "\n";
  std::fputs(line.c_str(), stderr);
}

void say(std::string_view text) {
  say_lines(trace::visible(text) + "\n");
}

void say_lines(const std::string& lines) {
  const bool taken = std::fputs(lines.c_str(), stdout) >= 0;
  if ((std::fflush(stdout) != 0 || !taken) && g_output_error == 0) g_output_error = errno;
}

void say_json(const nlohmann::ordered_json& object) {
  say_lines(object.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

int status_after_output(int status) {
  // Help and version are in a buffer.
  if (g_output_error == 0 && !flush_standard_output()) g_output_error = errno;
  if (g_output_error == 0 || g_output_error == EPIPE) return status;
  complain("cannot write: " + error_text(g_output_error));
  return kCtlFailed;
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
