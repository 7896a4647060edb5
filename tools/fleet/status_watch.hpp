#pragma once
// Follows the statuses of all hosts of a tenant.

#include <map>
#include <memory>
#include <set>
#include <string>

#include "tools/fleet/fleet_status.hpp"
#include "tools/fleet/nats_connection.hpp"
#include "tools/fleet/nats_ordered_queue.hpp"

namespace ringside::fleet {

// Not thread-safe.
class StatusWatch {
 public:
  // `connection` must outlive it. `host`: empty: all. Null with `*why` if there are no statuses to
  // be had.
  static std::unique_ptr<StatusWatch> open(NatsConnection& connection, const std::string& tenant,
                                           const std::string& host, std::string* why);

  // Takes what has come, for which it waits up to `timeout_ms`.
  void step(int timeout_ms);
  // Whether all statuses were taken that were stored when it was opened.
  bool is_complete() const { return queue_->is_complete(); }

  // False with `*why` if the server does not answer.
  bool state(FleetStatus& status, std::string* why);

 private:
  explicit StatusWatch(NatsConnection& connection) : connection_(connection) {}

  NatsConnection& connection_;
  std::unique_ptr<NatsOrderedQueue> queue_;
  std::map<std::string, HostStatus> hosts_;  // by subject
  std::set<std::string> invalid_;            // subjects whose last status is not one
};

}  // namespace ringside::fleet
