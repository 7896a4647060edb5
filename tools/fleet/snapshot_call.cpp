#include "tools/fleet/snapshot_call.hpp"

#include <algorithm>

#include "tools/fleet/fleet_control.hpp"
#include "tools/fleet/fleet_process.hpp"

namespace ringside::fleet {
namespace {

constexpr std::uint64_t kRepeatMs = 500;
constexpr int kWaitMs = 20;

}  // namespace

SnapshotCallResult call_for_snapshot(NatsConnection& connection,
                                     const FleetSnapshotRequest& request,
                                     const SnapshotCallOptions& options,
                                     const std::function<void(const FleetSnapshotAnswer&)>& told,
                                     std::string* why) {
  SnapshotCallResult result;
  natsInbox* inbox = nullptr;
  natsInbox_Create(&inbox);
  const std::string answers = inbox == nullptr ? std::string() : inbox;
  natsInbox_Destroy(inbox);
  const auto control = FleetControl::open(connection, {answers}, why);
  if (control == nullptr) return result;
  const ControlMessage message{trigger_subject(options.tenant, request.origin),
                               write_snapshot_request(request), answers};
  const std::uint64_t begin_ms = monotonic_ms();
  std::uint64_t heard_ms = begin_ms;
  std::uint64_t sent_ms = 0;
  while (!is_asked_to_end() && monotonic_ms() - begin_ms < options.timeout_ms) {
    if (sent_ms == 0 || monotonic_ms() - sent_ms >= kRepeatMs) {
      sent_ms = monotonic_ms();
      result.is_sent = send_control(connection, message, request.id) || result.is_sent;
    }
    if (const auto answered = control->next(kWaitMs)) {
      FleetSnapshotAnswer answer;
      if (!read_snapshot_answer(answered->text, answer) || answer.id != request.id) continue;
      const auto [known, is_new] = result.hosts.try_emplace(answer.host);
      const bool ends = answer.is_done && !known->second.is_done;
      if (is_new || ends) heard_ms = monotonic_ms();
      if (!known->second.is_done) known->second = answer;
      if (ends) told(answer);
    }
    result.is_complete = std::all_of(result.hosts.begin(), result.hosts.end(),
                                     [](const auto& host) { return host.second.is_done; });
    if (result.is_complete && monotonic_ms() - heard_ms >= options.quiet_ms) break;
  }
  if (!result.is_sent) *why = connection.state();
  return result;
}

}  // namespace ringside::fleet
