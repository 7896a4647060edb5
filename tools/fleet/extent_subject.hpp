#pragma once
// The subject of a segment's messages (README.md, "Subjects, streams, buckets").

#include <string>
#include <string_view>

#include "tools/fleet/extent_message.hpp"
#include "tools/fleet/subject_part.hpp"

namespace ringside::fleet {

std::string extent_subject(std::string_view tenant, std::string_view host, std::string_view service,
                           const SegmentUuid& uuid);

// Whether the subject is that of the segment, of any tenant: a sender that may only use its own
// subjects cannot add to the segments of others.
bool is_extent_subject(std::string_view subject, std::string_view host, std::string_view service,
                       const SegmentUuid& uuid);

}  // namespace ringside::fleet
