#pragma once
// Bodies of messages that are too large for one message: under subjects of their own in the stream
// of the messages, whose limits of age and bytes remove them together.

#include <string>
#include <string_view>

#include "tools/fleet/message_queue.hpp"
#include "tools/fleet/nats_connection.hpp"

namespace ringside::fleet {

// `key`: that of body_key(). False with `*why`.
bool store_body(NatsConnection& connection, std::string_view key, const Bytes& contents,
                std::string* why);
// `*why` for kUnknown.
DeliveryQueue::Fetched fetch_body(NatsConnection& connection, std::string_view key, Bytes& contents,
                                  std::string* why);

}  // namespace ringside::fleet
