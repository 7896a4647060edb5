#pragma once
// The subject of a segment's messages (README.md, "Subjects, streams, buckets").

#include <string>
#include <string_view>

#include "tools/fleet/extent_message.hpp"

namespace ringside::fleet {

// A name as part of a subject, and of a path.
std::string subject_part(std::string_view name);

std::string extent_subject(std::string_view tenant, std::string_view host, std::string_view service,
                           const SegmentUuid& uuid);

// Whether the subject is that of the segment, of any tenant: a sender that may only use its own
// subjects cannot add to the segments of others.
bool is_extent_subject(std::string_view subject, std::string_view host, std::string_view service,
                       const SegmentUuid& uuid);

// Parts of a subject; empty if it has none.
std::string_view tenant_of(std::string_view subject);

// Where messages that sinks refuse are kept: rs.dead.<tenant>.<host>, with "_" for missing parts.
std::string dead_letter_subject(std::string_view subject);

}  // namespace ringside::fleet
