#pragma once
// The state of a fleet, as fleet-reader reports it and ringstat shows it.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/fleet/host_status.hpp"

namespace ringside::fleet {

// A durable consumer of the stream of extents.
struct SinkStatus {
  std::string name;
  std::uint64_t pending = 0;         // messages that it has not got
  std::uint64_t unacknowledged = 0;  // that it got, and that are not durable there
};

struct FleetStatus {
  std::uint64_t stored_messages = 0;  // extents in the server
  std::uint64_t stored_bytes = 0;
  std::uint64_t invalid = 0;      // hosts whose last status could not be read
  std::vector<HostStatus> hosts;  // by tenant and name
  std::vector<SinkStatus> sinks;  // by name
};

// One line of JSON.
std::string write_fleet_status(const FleetStatus& status);
// False if it is not one.
bool read_fleet_status(std::string_view line, FleetStatus& status);

}  // namespace ringside::fleet
