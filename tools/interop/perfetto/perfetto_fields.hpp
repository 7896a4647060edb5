#pragma once
// Field numbers of the messages in perfetto/protos/perfetto/trace that are written or read. They
// never change once published.

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
inline constexpr std::uint32_t kProcessTree = 2;
inline constexpr std::uint32_t kProducerUid = 3;
inline constexpr std::uint32_t kOldStateCleared = 41;
inline constexpr std::uint32_t kDropped = 42;  // since the sequence's previous packet
inline constexpr std::uint32_t kProcessDescriptor = 43;
inline constexpr std::uint32_t kThreadDescriptor = 44;
inline constexpr std::uint32_t kCompressed = 50;
inline constexpr std::uint32_t kClockId = 58;
inline constexpr std::uint32_t kProducerPid = 79;
inline constexpr std::uint32_t kFirstOnSequence = 87;
inline constexpr std::uint32_t kMachineId = 98;
inline constexpr std::uint32_t kLastField = 1999;  // extensions included
inline constexpr std::uint64_t kDroppedByOverwriting = 64;
inline constexpr std::uint64_t kDroppedByFullBuffer = 256;
inline constexpr std::uint64_t kStateCleared = 1;  // sequence flags
inline constexpr std::uint64_t kNeedsState = 2;
}  // namespace packet

namespace defaults {
inline constexpr std::uint32_t kTrackEvent = 11;
inline constexpr std::uint32_t kClockId = 58;
}  // namespace defaults

namespace clock_snapshot {
inline constexpr std::uint32_t kClocks = 1;
inline constexpr std::uint32_t kPrimaryClock = 2;
inline constexpr std::uint32_t kClockId = 1;  // of a clock
inline constexpr std::uint32_t kTimestamp = 2;
inline constexpr std::uint32_t kIncremental = 3;
inline constexpr std::uint32_t kUnitNs = 4;
inline constexpr std::uint64_t kRealtime = 1;
inline constexpr std::uint64_t kMonotonic = 3;
inline constexpr std::uint64_t kBoottime = 6;
inline constexpr std::uint32_t kFirstOfSequence = 64;  // clocks of one sequence
inline constexpr std::uint32_t kLastOfSequence = 127;
}  // namespace clock_snapshot

namespace track_event {
inline constexpr std::uint32_t kTimeDeltaUs = 1;  // oneof with kTimeUs
inline constexpr std::uint32_t kCategoryIids = 3;
inline constexpr std::uint32_t kDebugAnnotations = 4;
inline constexpr std::uint32_t kLegacyEvent = 6;
inline constexpr std::uint32_t kType = 9;
inline constexpr std::uint32_t kNameIid = 10;
inline constexpr std::uint32_t kTrackUuid = 11;
inline constexpr std::uint32_t kExtraValues = 12;
inline constexpr std::uint32_t kTimeUs = 16;
inline constexpr std::uint32_t kLogMessage = 21;
inline constexpr std::uint32_t kCategories = 22;
inline constexpr std::uint32_t kName = 23;
inline constexpr std::uint32_t kCounterValue = 30;
inline constexpr std::uint32_t kExtraTracks = 31;
inline constexpr std::uint32_t kSourceLocation = 33;
inline constexpr std::uint32_t kSourceLocationIid = 34;
inline constexpr std::uint32_t kOldFlowIds = 36;
inline constexpr std::uint32_t kOldTerminatingFlowIds = 42;
inline constexpr std::uint32_t kDoubleCounterValue = 44;
inline constexpr std::uint32_t kExtraDoubleTracks = 45;
inline constexpr std::uint32_t kExtraDoubleValues = 46;
inline constexpr std::uint32_t kFlowIds = 47;
inline constexpr std::uint32_t kTerminatingFlowIds = 48;
inline constexpr std::uint32_t kCorrelationId = 52;
inline constexpr std::uint32_t kCorrelationText = 53;
inline constexpr std::uint32_t kCallstackIid = 56;
inline constexpr std::uint64_t kSliceBegin = 1;  // types
inline constexpr std::uint64_t kSliceEnd = 2;
inline constexpr std::uint64_t kInstant = 3;
inline constexpr std::uint64_t kCounter = 4;
}  // namespace track_event

namespace legacy_event {
inline constexpr std::uint32_t kNameIid = 1;
inline constexpr std::uint32_t kPhase = 2;
inline constexpr std::uint32_t kDurationUs = 3;
}  // namespace legacy_event

namespace log_message {
inline constexpr std::uint32_t kSourceLocationIid = 1;
inline constexpr std::uint32_t kBodyIid = 2;
inline constexpr std::uint32_t kPriority = 3;
}  // namespace log_message

namespace track_descriptor {
inline constexpr std::uint32_t kUuid = 1;
inline constexpr std::uint32_t kName = 2;
inline constexpr std::uint32_t kProcess = 3;
inline constexpr std::uint32_t kThread = 4;
inline constexpr std::uint32_t kParentUuid = 5;
inline constexpr std::uint32_t kCounter = 8;
inline constexpr std::uint32_t kStaticName = 10;
}  // namespace track_descriptor

namespace process_descriptor {
inline constexpr std::uint32_t kPid = 1;
inline constexpr std::uint32_t kCommandLine = 2;
inline constexpr std::uint32_t kName = 6;
inline constexpr std::uint32_t kStartNs = 7;
inline constexpr std::uint32_t kLabels = 8;
}  // namespace process_descriptor

namespace counter_descriptor {
inline constexpr std::uint32_t kType = 1;
inline constexpr std::uint32_t kCategories = 2;
inline constexpr std::uint32_t kUnitMultiplier = 4;
inline constexpr std::uint32_t kIncremental = 5;
inline constexpr std::uint32_t kUnitName = 6;
}  // namespace counter_descriptor

namespace process_tree {
inline constexpr std::uint32_t kProcesses = 1;
inline constexpr std::uint32_t kPid = 1;  // of a process
inline constexpr std::uint32_t kCommandLine = 3;
}  // namespace process_tree

namespace thread_descriptor {
inline constexpr std::uint32_t kPid = 1;
inline constexpr std::uint32_t kTid = 2;
inline constexpr std::uint32_t kName = 5;
inline constexpr std::uint32_t kReferenceUs = 6;
}  // namespace thread_descriptor

namespace interned_data {
inline constexpr std::uint32_t kCategories = 1;
inline constexpr std::uint32_t kEventNames = 2;
inline constexpr std::uint32_t kAnnotationNames = 3;
inline constexpr std::uint32_t kSourceLocations = 4;
inline constexpr std::uint32_t kFunctionNames = 5;
inline constexpr std::uint32_t kFrames = 6;
inline constexpr std::uint32_t kCallstacks = 7;
inline constexpr std::uint32_t kMappings = 19;
inline constexpr std::uint32_t kLogBodies = 20;
inline constexpr std::uint32_t kStringValues = 29;  // of annotations
inline constexpr std::uint32_t kIid = 1;            // of each of them
inline constexpr std::uint32_t kName = 2;
inline constexpr std::uint32_t kFunctionName = 3;  // of source locations, whose name is the file's
inline constexpr std::uint32_t kLineNumber = 4;
}  // namespace interned_data

namespace callstack_frame {
inline constexpr std::uint32_t kFunctionNameIid = 2;
inline constexpr std::uint32_t kMappingIid = 3;
inline constexpr std::uint32_t kRelativePc = 4;
}  // namespace callstack_frame

namespace callstack {
inline constexpr std::uint32_t kFrameIids = 2;
}

namespace annotation {
inline constexpr std::uint32_t kNameIid = 1;
inline constexpr std::uint32_t kBool = 2;
inline constexpr std::uint32_t kUint = 3;
inline constexpr std::uint32_t kInt = 4;
inline constexpr std::uint32_t kDouble = 5;
inline constexpr std::uint32_t kString = 6;
inline constexpr std::uint32_t kPointer = 7;
inline constexpr std::uint32_t kNested = 8;
inline constexpr std::uint32_t kJson = 9;
inline constexpr std::uint32_t kName = 10;
inline constexpr std::uint32_t kDictionary = 11;
inline constexpr std::uint32_t kArrayValues = 12;
inline constexpr std::uint32_t kProto = 14;
inline constexpr std::uint32_t kStringIid = 17;
}  // namespace annotation

namespace nested_value {  // the form of dictionaries and arrays of old producers
inline constexpr std::uint32_t kType = 1;
inline constexpr std::uint32_t kKeys = 2;
inline constexpr std::uint32_t kDictionary = 3;
inline constexpr std::uint32_t kArray = 4;
inline constexpr std::uint32_t kInt = 5;
inline constexpr std::uint32_t kDouble = 6;
inline constexpr std::uint32_t kBool = 7;
inline constexpr std::uint32_t kString = 8;
}  // namespace nested_value

}  // namespace ringside::tool::perfetto
