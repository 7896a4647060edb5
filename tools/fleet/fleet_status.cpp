#include "tools/fleet/fleet_status.hpp"

#include <utility>

#include <nlohmann/json.hpp>

namespace ringside::fleet {

std::string write_fleet_status(const FleetStatus& status) {
  nlohmann::json json = {{"stored_messages", status.stored_messages},
                         {"stored_bytes", status.stored_bytes},
                         {"invalid", status.invalid},
                         {"hosts", nlohmann::json::array()},
                         {"sinks", nlohmann::json::array()}};
  for (const HostStatus& host : status.hosts) {
    json["hosts"].push_back(
        {{"subject", status_subject(host.tenant, host.host)}, {"status", write_host_status(host)}});
  }
  for (const SinkStatus& sink : status.sinks) {
    json["sinks"].push_back(
        {{"name", sink.name}, {"pending", sink.pending}, {"unacknowledged", sink.unacknowledged}});
  }
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

bool read_fleet_status(std::string_view line, FleetStatus& status) {
  try {
    const nlohmann::json json = nlohmann::json::parse(line);
    FleetStatus read;
    json.at("stored_messages").get_to(read.stored_messages);
    json.at("stored_bytes").get_to(read.stored_bytes);
    json.at("invalid").get_to(read.invalid);
    for (const nlohmann::json& each : json.at("hosts")) {
      HostStatus host;
      if (!read_status_subject(each.at("subject").get<std::string>(), host) ||
          !read_host_status(each.at("status").get<std::string>(), host)) {
        return false;
      }
      read.hosts.push_back(std::move(host));
    }
    for (const nlohmann::json& each : json.at("sinks")) {
      read.sinks.push_back({each.at("name").get<std::string>(),
                            each.at("pending").get<std::uint64_t>(),
                            each.at("unacknowledged").get<std::uint64_t>()});
    }
    status = std::move(read);
    return true;
  } catch (const nlohmann::json::exception&) {
    return false;
  }
}

}  // namespace ringside::fleet
