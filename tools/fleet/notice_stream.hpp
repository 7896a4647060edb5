#pragma once
// The streams of small messages beside the extents: requests for snapshots, losses, the last status
// of each host (README.md, "Subjects, streams, buckets").

#include <cstdint>
#include <string>

#include "tools/fleet/host_status.hpp"
#include "tools/fleet/nats_connection.hpp"

namespace ringside::fleet {

struct NoticeStream {
  const char* name;
  const char* subjects;
  std::int64_t max_age_s;
  std::int64_t max_bytes;                  // -1: unlimited
  std::int64_t messages_per_subject = -1;  // the last ones; -1: all
  std::int32_t max_message_bytes = -1;     // -1: as the server allows
};

inline constexpr NoticeStream kTriggerStream{"RS_TRIGGERS", "rs.trigger.>", 30L * 24 * 3600,
                                             std::int64_t{256} << 20};
inline constexpr NoticeStream kLossStream{"RS_LOSSES", "rs.loss.>", 30L * 24 * 3600,
                                          std::int64_t{256} << 20};
// A host without a status for a week is no longer shown.
inline constexpr NoticeStream kStatusStream{
    "RS_STATUS", "rs.status.>", 7L * 24 * 3600, -1, 1, std::int32_t{kMostStatusBytes}};

// Creates the stream. Limits of one that exists remain. False with `*why` if the server refuses.
bool prepare_notice_stream(NatsConnection& connection, const NoticeStream& stream, int replicas,
                           std::string* why);

}  // namespace ringside::fleet
