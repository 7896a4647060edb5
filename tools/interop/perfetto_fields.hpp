#pragma once
// Numbers of the messages in perfetto/protos/perfetto/trace that are written. They never change
// once published.

#include <cstdint>

namespace ringside::tool::perfetto {

namespace trace_file {
inline constexpr std::uint32_t kPacket = 1;
}

namespace packet {
inline constexpr std::uint32_t kClockSnapshot = 6;
inline constexpr std::uint32_t kTimestamp = 8;
inline constexpr std::uint32_t kSequenceId = 10;
inline constexpr std::uint32_t kTrackEvent = 11;
inline constexpr std::uint32_t kInternedData = 12;
inline constexpr std::uint32_t kSequenceFlags = 13;
inline constexpr std::uint32_t kDefaults = 59;
inline constexpr std::uint32_t kTrackDescriptor = 60;
inline constexpr std::uint64_t kStateCleared = 1;  // sequence flags
inline constexpr std::uint64_t kNeedsState = 2;
}  // namespace packet

namespace defaults {
inline constexpr std::uint32_t kClockId = 58;
}

namespace clock_snapshot {
inline constexpr std::uint32_t kClocks = 1;
inline constexpr std::uint32_t kPrimaryClock = 2;
inline constexpr std::uint32_t kClockId = 1;  // of a clock
inline constexpr std::uint32_t kTimestamp = 2;
inline constexpr std::uint64_t kRealtime = 1;
inline constexpr std::uint64_t kBoottime = 6;
}  // namespace clock_snapshot

namespace track_event {
inline constexpr std::uint32_t kCategoryIids = 3;
inline constexpr std::uint32_t kDebugAnnotations = 4;
inline constexpr std::uint32_t kType = 9;
inline constexpr std::uint32_t kNameIid = 10;
inline constexpr std::uint32_t kTrackUuid = 11;
inline constexpr std::uint32_t kCounterValue = 30;
inline constexpr std::uint32_t kSourceLocationIid = 34;
inline constexpr std::uint32_t kDoubleCounterValue = 44;
inline constexpr std::uint32_t kFlowIds = 47;
inline constexpr std::uint64_t kSliceBegin = 1;  // types
inline constexpr std::uint64_t kSliceEnd = 2;
inline constexpr std::uint64_t kInstant = 3;
inline constexpr std::uint64_t kCounter = 4;
}  // namespace track_event

namespace track_descriptor {
inline constexpr std::uint32_t kUuid = 1;
inline constexpr std::uint32_t kName = 2;
inline constexpr std::uint32_t kProcess = 3;
inline constexpr std::uint32_t kThread = 4;
inline constexpr std::uint32_t kParentUuid = 5;
inline constexpr std::uint32_t kCounter = 8;
}  // namespace track_descriptor

namespace process_descriptor {
inline constexpr std::uint32_t kPid = 1;
inline constexpr std::uint32_t kCommandLine = 2;
inline constexpr std::uint32_t kName = 6;
inline constexpr std::uint32_t kStartNs = 7;
inline constexpr std::uint32_t kLabels = 8;
}  // namespace process_descriptor

namespace thread_descriptor {
inline constexpr std::uint32_t kPid = 1;
inline constexpr std::uint32_t kTid = 2;
inline constexpr std::uint32_t kName = 5;
}  // namespace thread_descriptor

namespace interned_data {
inline constexpr std::uint32_t kCategories = 1;
inline constexpr std::uint32_t kEventNames = 2;
inline constexpr std::uint32_t kAnnotationNames = 3;
inline constexpr std::uint32_t kSourceLocations = 4;
inline constexpr std::uint32_t kIid = 1;  // of each of them
inline constexpr std::uint32_t kName = 2;
inline constexpr std::uint32_t kFunctionName = 3;  // of source locations, whose name is the file's
inline constexpr std::uint32_t kLineNumber = 4;
}  // namespace interned_data

namespace annotation {
inline constexpr std::uint32_t kNameIid = 1;
inline constexpr std::uint32_t kBool = 2;
inline constexpr std::uint32_t kUint = 3;
inline constexpr std::uint32_t kInt = 4;
inline constexpr std::uint32_t kDouble = 5;
inline constexpr std::uint32_t kString = 6;
inline constexpr std::uint32_t kPointer = 7;
inline constexpr std::uint32_t kArrayValues = 12;
}  // namespace annotation

}  // namespace ringside::tool::perfetto
