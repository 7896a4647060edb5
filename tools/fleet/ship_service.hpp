#pragma once
// What ringship does: it ships, takes snapshots, and answers requests.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tools/fleet/bandwidth.hpp"
#include "tools/fleet/content_store.hpp"
#include "tools/fleet/fleet_control.hpp"
#include "tools/fleet/host_snapshots.hpp"
#include "tools/fleet/nats_connection.hpp"
#include "tools/fleet/nats_publish_queue.hpp"
#include "tools/fleet/shipper.hpp"

namespace ringside::fleet {

struct ShipServiceOptions {
  std::vector<std::string> paths;  // of trace files
  std::string state_directory;
  std::string shm_dir = "/dev/shm";  // of flight recorders
  std::string tenant;
  std::string host;                    // its name for requests
  bool on_request = false;             // nothing is sent but snapshots
  std::uint64_t most_bytes_per_s = 0;  // of all that is sent; 0: unlimited
  ShipperOptions shipper;
};

// Not thread-safe. What it refers to must outlive it.
class ShipService {
 public:
  // Null with `*why` if the state cannot be used or the server refuses.
  static std::unique_ptr<ShipService> open(ShipServiceOptions options, NatsConnection& connection,
                                           Shipper::Complain complain, std::string* why);

  // One round; waits up to `wait_ms` for answers if something is on its way.
  void step(int wait_ms);
  // Whether the next step() has nothing to do: the caller may pause.
  bool is_waiting() const;
  bool is_done() const { return shipper_.is_done(); }

  const ShipperCounts& counts() const { return shipper_.counts(); }
  std::uint64_t snapshots() const { return snapshots_.taken(); }
  const Shipper& shipper() const { return shipper_; }
  const TraceSegments& segments() const { return segments_; }

 private:
  struct Parts;
  ShipService(ShipServiceOptions options, NatsConnection& connection, Parts parts,
              Shipper::Complain complain);

  void answer_requests();
  void take_snapshot_request(const ControlMessage& message);
  void take_host_request(const ControlMessage& message);
  void publish_loss(const LossReport& report);
  ShipperOptions shipper_options();

  const ShipServiceOptions options_;
  NatsConnection& connection_;
  const Shipper::Complain complain_;
  const CursorStore cursors_;
  const ContentStore contents_;
  std::unique_ptr<NatsPublishQueue> queue_;
  std::unique_ptr<FleetControl> control_;
  Bandwidth bandwidth_;
  TraceSegments segments_;
  Shipper shipper_;
  HostSnapshots snapshots_;
};

}  // namespace ringside::fleet
