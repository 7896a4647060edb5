#pragma once
// Requests to the shippers of a fleet, and their answers, over NATS (README.md, "Requests").

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tools/fleet/nats_connection.hpp"

namespace ringside::fleet {

// Requests for snapshots, to all hosts of a tenant; stored by the server, too.
std::string trigger_subject(const std::string& tenant, const std::string& origin);
// Requests to one host.
std::string control_subject(const std::string& tenant, const std::string& host);

struct ControlMessage {
  std::string subject;
  std::string text;
  std::string answer_to;  // empty: no answer is expected
};

// What comes to some subjects. Not thread-safe. `connection` must outlive it.
class FleetControl {
 public:
  // Null with `*why` if the server refuses.
  static std::unique_ptr<FleetControl> open(NatsConnection& connection,
                                            const std::vector<std::string>& subjects,
                                            std::string* why);
  ~FleetControl();
  FleetControl(const FleetControl&) = delete;
  FleetControl& operator=(const FleetControl&) = delete;

  // The next message, after `timeout_ms` at the latest. While there is no connection, nothing
  // comes.
  std::optional<ControlMessage> next(int timeout_ms);

 private:
  FleetControl() = default;

  std::vector<natsSubscription*> subscriptions_;
};

// False if it cannot be sent now. `id`: the server stores a message with the same one once.
bool send_control(NatsConnection& connection, const ControlMessage& message, const std::string& id);

}  // namespace ringside::fleet
