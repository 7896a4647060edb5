#include "tools/fleet/message_bodies.hpp"

#include <climits>
#include <cstddef>

#include <fmt/format.h>

#include "tools/fleet/nats_error.hpp"

namespace ringside::fleet {
namespace {

std::string body_subject(std::string_view key) {
  return fmt::format("rs.{}", key);
}

}  // namespace

bool store_body(NatsConnection& connection, std::string_view key, const Bytes& contents,
                std::string* why) {
  // Otherwise requests would wait for a connection, until their timeout.
  if (!connection.is_connected()) {
    *why = connection.state();
    return false;
  }
  const std::string subject = body_subject(key);
  jsErrCode code{};
  const natsStatus status =
      contents.size() > INT_MAX
          ? NATS_MAX_PAYLOAD
          : js_Publish(nullptr, connection.jetstream(), subject.c_str(), contents.data(),
                       static_cast<int>(contents.size()), nullptr, &code);
  if (status == NATS_OK) return true;
  *why = fmt::format(
      "cannot store a part of a large message as {}: {}; check the connection, that the stream {} "
      "has the subjects {} (ringship init), and the permissions",
      subject, nats_reason(status, code), kExtentStream, kBodySubjects);
  return false;
}

DeliveryQueue::Fetched fetch_body(NatsConnection& connection, std::string_view key, Bytes& contents,
                                  std::string* why) {
  if (!connection.is_connected()) {
    *why = connection.state();
    return DeliveryQueue::Fetched::kUnknown;
  }
  natsMsg* received = nullptr;
  jsErrCode code{};
  const std::string subject = body_subject(key);
  const natsStatus status = js_GetLastMsg(&received, connection.jetstream(), kExtentStream,
                                          subject.c_str(), nullptr, &code);
  if (code == JSNoMessageFoundErr) return DeliveryQueue::Fetched::kMissing;
  if (status != NATS_OK) {
    *why = fmt::format("cannot fetch a part of a large message, {}: {}; check the connection",
                       subject, nats_reason(status, code));
    return DeliveryQueue::Fetched::kUnknown;
  }
  const auto* const begin = reinterpret_cast<const std::byte*>(natsMsg_GetData(received));
  contents.assign(begin, begin + natsMsg_GetDataLength(received));
  natsMsg_Destroy(received);
  return DeliveryQueue::Fetched::kYes;
}

}  // namespace ringside::fleet
