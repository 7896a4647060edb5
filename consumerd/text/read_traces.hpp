#pragma once
// Removes traces whose text is written, where only the text is kept.

#include <string>
#include <vector>

#include "consumerd/text/segment_position.hpp"

namespace ringside::consumer {

// Removes the trace files in `output_dir` that no text needs: those before a stored position of
// their segment, and those of segments without position and mark. Files that are written or
// recovered are locked, and stay. False with `*why`.
bool remove_read_traces(const std::string& output_dir,
                        const std::vector<SegmentPosition>& positions, std::string* why);

}  // namespace ringside::consumer
