#include "tools/fleet/ship_service.hpp"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "tools/fleet/fleet_process.hpp"
#include "tools/fleet/host_requests.hpp"

namespace ringside::fleet {
namespace {

// A flood of requests shall not stop the shipping.
constexpr int kMostRequestsAtOnce = 100;

}  // namespace

struct ShipService::Parts {
  std::optional<CursorStore> cursors;
  std::optional<ContentStore> contents;
  std::unique_ptr<NatsPublishQueue> queue;
  std::unique_ptr<FleetControl> control;
};

std::unique_ptr<ShipService> ShipService::open(ShipServiceOptions options,
                                               NatsConnection& connection,
                                               Shipper::Complain complain, std::string* why) {
  Parts parts;
  parts.cursors = CursorStore::open(options.state_directory, why);
  if (!parts.cursors) return nullptr;
  parts.contents = ContentStore::open(options.state_directory + "/contents", why);
  if (!parts.contents) return nullptr;
  parts.queue = NatsPublishQueue::open(connection, why);
  if (parts.queue == nullptr) return nullptr;
  parts.control = FleetControl::open(
      connection,
      {trigger_subject(options.tenant, "*"), control_subject(options.tenant, options.host)}, why);
  if (parts.control == nullptr) return nullptr;
  return std::unique_ptr<ShipService>(
      new ShipService(std::move(options), connection, std::move(parts), std::move(complain)));
}

ShipService::ShipService(ShipServiceOptions options, NatsConnection& connection, Parts parts,
                         Shipper::Complain complain)
    : options_(std::move(options)),
      connection_(connection),
      complain_(std::move(complain)),
      cursors_(std::move(*parts.cursors)),
      contents_(std::move(*parts.contents)),
      queue_(std::move(parts.queue)),
      control_(std::move(parts.control)),
      bandwidth_(options_.most_bytes_per_s, monotonic_ms),
      segments_(options_.on_request ? std::vector<std::string>() : options_.paths),
      shipper_(shipper_options(), segments_, *queue_, cursors_, monotonic_ms, complain_),
      snapshots_(
          {options_.state_directory + "/snapshots", options_.shm_dir, options_.paths, options_.host,
           shipper_options()},
          [this](std::string* why) { return NatsPublishQueue::open(connection_, why); },
          [this](const std::string& to, const FleetSnapshotAnswer& answer) {
            send_control(connection_, {to, write_snapshot_answer(answer), {}}, {});
          },
          monotonic_ms, complain_) {}

ShipperOptions ShipService::shipper_options() {
  ShipperOptions shipper = options_.shipper;
  shipper.tenant = options_.tenant;
  shipper.contents = &contents_;
  shipper.bandwidth = &bandwidth_;
  shipper.report_loss = [this](const LossReport& report) { publish_loss(report); };
  return shipper;
}

// A notification: the account of losses is in the extents. Sent again, it has the same id.
void ShipService::publish_loss(const LossReport& report) {
  const std::string id = fmt::format("loss.{}.{}.{}", report.segment, report.message, report.cause);
  send_control(connection_, {loss_subject(options_.tenant, report), write_loss_report(report), {}},
               report.message == 0 ? std::string() : id);
}

void ShipService::step(int wait_ms) {
  answer_requests();
  shipper_.step(wait_ms);
  snapshots_.step();
}

bool ShipService::is_waiting() const {
  return shipper_.is_waiting() && !snapshots_.is_busy();
}

void ShipService::answer_requests() {
  for (int i = 0; i < kMostRequestsAtOnce; ++i) {
    const auto message = control_->next(0);
    if (!message) return;
    if (message->subject == control_subject(options_.tenant, options_.host)) {
      take_host_request(*message);
    } else {
      take_snapshot_request(*message);
    }
  }
}

void ShipService::take_snapshot_request(const ControlMessage& message) {
  FleetSnapshotRequest request;
  std::string why;
  if (read_snapshot_request(message.text, request, &why)) {
    snapshots_.take(request, message.answer_to);
  } else {
    complain_(message.subject + ": " + why);
  }
}

void ShipService::take_host_request(const ControlMessage& message) {
  HostRequest request;
  std::string why;
  if (!read_host_request(message.text, request, &why))
    return complain_(message.subject + ": " + why);
  for (const std::string& key : request.contents) {
    Bytes contents;
    if (!contents_.find(key, contents)) continue;
    bandwidth_.spend(contents.size());
    // Each attempt can wait for seconds, and receivers ask again.
    if (!queue_->store_contents(key, contents)) return;
  }
}

}  // namespace ringside::fleet
