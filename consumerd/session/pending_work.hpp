#pragma once
// Whether a segment without a session needs a consumer.

#include "consumerd/discover/attached_segment.hpp"

namespace ringside::consumer {

// Records, ended threads, requests, or the end of its service. Reads only a few words of each ring.
bool has_pending_work(AttachedSegment& segment);

}  // namespace ringside::consumer
