#pragma once
// The subject of a segment's messages (README.md, "Subjects, streams, buckets").

#include <optional>
#include <string>
#include <string_view>

#include "tools/fleet/extent_message.hpp"
#include "tools/fleet/subject_part.hpp"

namespace ringside::fleet {

// `snapshot`: the id of the snapshot that the messages belong to; empty: none.
std::string extent_subject(std::string_view tenant, std::string_view host, std::string_view service,
                           const SegmentUuid& uuid, std::string_view snapshot = {});

struct ExtentSubject {
  std::string tenant;
  std::string snapshot;  // empty: none
};

// Empty if the subject is not that of the segment, of any tenant: a sender that may only use its
// own subjects cannot add to the segments of others.
std::optional<ExtentSubject> read_extent_subject(std::string_view subject, std::string_view host,
                                                 std::string_view service, const SegmentUuid& uuid);

// What follows the segment in such a subject; empty: nothing.
std::string snapshot_of(std::string_view subject);

struct Publisher {
  std::string tenant;
  std::string host;
};

// Whose subject it is, by its form. Empty if it is not one of extents.
std::optional<Publisher> publisher_of(std::string_view subject);

// Parts of a subject; empty if it has none.
std::string_view tenant_of(std::string_view subject);

// Where messages that sinks refuse are kept: rs.dead.<tenant>.<host>, with "_" for missing parts.
std::string dead_letter_subject(std::string_view subject);

}  // namespace ringside::fleet
