#pragma once
// The stream that keeps the last status of each host (README.md, "Subjects, streams, buckets").

#include <string>

#include "tools/fleet/nats_connection.hpp"

namespace ringside::fleet {

inline constexpr const char* kStatusStream = "RS_STATUS";
inline constexpr const char* kStatusSubjects = "rs.status.>";

// Creates the stream, or updates it. False with `*why` if the server refuses.
bool prepare_status_stream(NatsConnection& connection, int replicas, std::string* why);

}  // namespace ringside::fleet
