#pragma once
// Asks all hosts of a fleet for a snapshot.

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "tools/fleet/nats_connection.hpp"
#include "tools/fleet/snapshot_request.hpp"

namespace ringside::fleet {

struct SnapshotCallOptions {
  std::string tenant;
  std::uint64_t timeout_ms = 30'000;
  // Hosts are not known beforehand: the call ends if none answers for this time, and all that have
  // are done.
  std::uint64_t quiet_ms = 1000;
};

struct SnapshotCallResult {
  std::map<std::string, FleetSnapshotAnswer> hosts;  // by name, the last answer of each
  bool is_sent = false;
  bool is_complete = false;  // all hosts that answered are done
};

// `told` gets each host that is done. Ends early if `is_asked_to_end` says so. The request is sent
// again until the end: a host that was not connected hears it later, and a host that knows it
// answers again.
SnapshotCallResult call_for_snapshot(NatsConnection& connection,
                                     const FleetSnapshotRequest& request,
                                     const SnapshotCallOptions& options,
                                     const std::function<void(const FleetSnapshotAnswer&)>& told,
                                     std::string* why);

}  // namespace ringside::fleet
