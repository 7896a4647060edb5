#include "tools/ringstat/fleet_text.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "tools/ringstat/quantity_text.hpp"
#include "trace-format/lines/visible_text.hpp"

namespace ringside::tool {
namespace {

using fleet::FleetStatus;
using fleet::HostStatus;

// Statuses that a host may miss before it counts as silent.
constexpr std::uint64_t kMissedStatuses = 3;
constexpr std::uint64_t kLateMs = 60'000;  // what is older than this and not shipped is a warning

// The clocks of the host and of this one differ: never negative. Any time can come from the
// network: the difference of two signed numbers would overflow.
std::uint64_t age_ms(const HostStatus& host, std::int64_t now_ns) {
  if (now_ns <= host.unix_ns) return 0;
  return (static_cast<std::uint64_t>(now_ns) - static_cast<std::uint64_t>(host.unix_ns)) /
         1'000'000;
}

bool is_silent(const HostStatus& host, std::int64_t now_ns) {
  return age_ms(host, now_ns) / (kMissedStatuses + 1) >=
         std::max<std::uint64_t>(host.interval_ms, 1);
}

StatusCell number_cell(std::string text, Tone tone = Tone::kPlain) {
  return {std::move(text), tone, true};
}

StatusCell count_cell(std::uint64_t count, Tone tone_if_any = Tone::kPlain) {
  return number_cell(count_text(static_cast<double>(count)),
                     count == 0 ? Tone::kPlain : tone_if_any);
}

std::string age_text(std::uint64_t ms) {
  return seconds_text(static_cast<double>(ms) / 1000);
}

}  // namespace

StatusTable host_table(const FleetStatus& status, std::int64_t now_ns) {
  StatusTable table;
  table.columns = {"HOST",     "SEEN", "SEGMENTS", "LAG",      "OLDEST",    "RECORDS",
                   "MESSAGES", "LOST", "REFUSED",  "FAILURES", "SNAPSHOTS", "VERSION"};
  table.dispensable = {11, 6, 2, 9, 10};
  table.elastic = 0;
  table.if_empty = "no host has sent its status";
  for (const HostStatus& host : status.hosts) {
    const bool silent = is_silent(host, now_ns);
    const Tone lag_tone = host.oldest_unshipped_ms >= kLateMs ? Tone::kWarning : Tone::kPlain;
    table.rows.push_back(
        {{host.host, silent ? Tone::kBad : Tone::kPlain},
         number_cell(age_text(age_ms(host, now_ns)), silent ? Tone::kBad : Tone::kPlain),
         count_cell(host.segments),
         number_cell(bytes_text(static_cast<double>(host.lag_bytes)), lag_tone),
         number_cell(host.lag_bytes == 0 ? "-" : age_text(host.oldest_unshipped_ms), lag_tone),
         count_cell(host.records),
         count_cell(host.messages),
         count_cell(host.lost, Tone::kBad),
         count_cell(host.refused, Tone::kBad),
         count_cell(host.failures),
         count_cell(host.snapshots),
         {trace::visible(host.version)}});
  }
  return table;
}

StatusTable sink_table(const FleetStatus& status) {
  StatusTable table;
  table.columns = {"SINK", "PENDING", "UNACKNOWLEDGED"};
  table.elastic = 0;
  for (const fleet::SinkStatus& sink : status.sinks) {
    table.rows.push_back(
        {{trace::visible(sink.name)}, count_cell(sink.pending), count_cell(sink.unacknowledged)});
  }
  return table;
}

std::string fleet_text(const FleetStatus& status, std::int64_t now_ns) {
  std::string text = fmt::format("{} messages stored, {}\n\n", status.stored_messages,
                                 bytes_text(static_cast<double>(status.stored_bytes)));
  text += table_text(host_table(status, now_ns));
  if (!status.sinks.empty()) text += "\n" + table_text(sink_table(status));
  if (status.invalid != 0) text += fmt::format("\n{} invalid statuses\n", status.invalid);
  return text;
}

nlohmann::ordered_json fleet_json(const FleetStatus& status, std::int64_t now_ns) {
  using Json = nlohmann::ordered_json;
  Json object;
  object["version"] = 1;
  object["unix_ns"] = now_ns;
  object["stored_messages"] = status.stored_messages;
  object["stored_bytes"] = status.stored_bytes;
  object["invalid_statuses"] = status.invalid;
  object["hosts"] = Json::array();
  for (const HostStatus& host : status.hosts) {
    object["hosts"].push_back({{"tenant", host.tenant},
                               {"host", host.host},
                               {"version", host.version},
                               {"age_ms", age_ms(host, now_ns)},
                               {"silent", is_silent(host, now_ns)},
                               {"segments", host.segments},
                               {"lag_bytes", host.lag_bytes},
                               {"oldest_unshipped_ms", host.oldest_unshipped_ms},
                               {"records", host.records},
                               {"messages", host.messages},
                               {"bytes", host.bytes},
                               {"lost", host.lost},
                               {"refused", host.refused},
                               {"failures", host.failures},
                               {"snapshots", host.snapshots}});
  }
  object["sinks"] = Json::array();
  for (const fleet::SinkStatus& sink : status.sinks) {
    object["sinks"].push_back(
        {{"sink", sink.name}, {"pending", sink.pending}, {"unacknowledged", sink.unacknowledged}});
  }
  return object;
}

}  // namespace ringside::tool
