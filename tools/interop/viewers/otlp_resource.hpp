#pragma once
// What OTLP says about processes and threads.

#include <cstdint>
#include <string>

#include "tools/interop/event_sources.hpp"

namespace ringside::tool::otlp {

// The attributes of the process as a resource.
std::string resource_of(const trace::SegmentInfo& segment, std::uint32_t pid);

// Those of a thread, each with a preceding comma.
std::string attributes_of(const SourceThread& source);

}  // namespace ringside::tool::otlp
