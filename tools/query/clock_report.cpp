#include "tools/query/clock_report.hpp"

#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/text/duration.hpp"
#include "trace-format/lines/visible_text.hpp"

namespace ringside::tool {
namespace {

std::string_view state_of(const trace::HostClock& clock) {
  if (!clock.is_synchronised) return "not synchronised";
  return clock.is_stated ? "synchronised" : "unknown";
}

// "-1.2 ms"
std::string offset_text(std::int64_t ns) {
  const auto bits = static_cast<std::uint64_t>(ns);
  return ns < 0 ? "-" + bound_text(0 - bits) : bound_text(bits);
}

// Of the newest block.
bool has_offset(const trace::HostClock& clock) {
  return clock.newest.sync.state != trace::SyncState::kUnknown;
}

bool has_error(const trace::HostClock& clock) {
  return clock.worst_error_ns != trace::kUnknownClockError;
}

}  // namespace

std::string clocks_as_table(const trace::HostClocks& clocks) {
  if (clocks.hosts().empty()) return {};
  std::string out =
      fmt::format("\n{:>12} {:>12}  {:<16}  {}\n", "clock error", "offset", "clock", "host");
  for (const auto& [name, clock] : clocks.hosts()) {
    out += fmt::format("{:>12} {:>12}  {:<16}  {}\n",
                       has_error(clock) ? bound_text(clock.worst_error_ns) : "unknown",
                       has_offset(clock) ? offset_text(clock.newest.sync.offset_ns) : "-",
                       state_of(clock), trace::visible(name));
  }
  return out;
}

nlohmann::json clocks_as_json(const trace::HostClocks& clocks) {
  nlohmann::json hosts = nlohmann::json::array();
  for (const auto& [name, clock] : clocks.hosts()) {
    nlohmann::json host{{"host", name}, {"clock", state_of(clock)}};
    if (has_error(clock)) host["clock_error_ns"] = clock.worst_error_ns;
    if (has_offset(clock)) host["offset_ns"] = clock.newest.sync.offset_ns;
    hosts.push_back(std::move(host));
  }
  return hosts;
}

}  // namespace ringside::tool
