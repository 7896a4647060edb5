#pragma once
// Messages that a sink refuses, kept in a stream of their own (README.md, "Dead letters").

#include <string>

#include "tools/fleet/fleet_streams.hpp"
#include "tools/fleet/message_queue.hpp"
#include "tools/fleet/nats_connection.hpp"

namespace ringside::fleet {

inline constexpr const char* kDeadLetterStream = "RS_DEAD";
inline constexpr const char* kDeadLetterSubjects = "rs.dead.>";

// Creates the stream, or updates its limits. False with `*why` if the server refuses.
bool prepare_dead_letters(NatsConnection& connection, const FleetStreamOptions& options,
                          std::string* why);

// True if the message is stored, now or by an earlier call; false with `*error`.
bool store_dead_letter(NatsConnection& connection, const StoredMessage& message,
                       const std::string& reason, std::string* error);

}  // namespace ringside::fleet
