#include "tools/interop/tptp/tptp_message_table.hpp"

namespace ringside::tool::tptp {
namespace {

constexpr bool kUsed = true;
constexpr bool kUnused = false;

constexpr MessageType type_of(std::uint16_t id, std::string_view tag,
                              std::span<const Attribute> attributes) {
  MessageType type{id, tag, attributes};
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    const Attribute& attribute = attributes[i];
    if (attribute.label == "Timestamp") type.time = i;
    if (attribute.label == "Thread ID") type.thread = i;
    if (attribute.label == "Trace ID") type.trace = i;
    if (attribute.type == AttributeType::kTexts) type.depth = i - 1;
  }
  return type;
}

constexpr Attribute kNode[] = {
    {"Node ID", AttributeType::kText, kUsed, "nodeId"},
    {"Hostname", AttributeType::kText, kUsed, "hostname"},
    {"IP address", AttributeType::kText, kUsed, "ipaddress"},
    {"Time zone", AttributeType::kInteger, kUsed, "timezone"},
    {"Timestamp", AttributeType::kLong, kUsed, "time"},
};
constexpr Attribute kProcessCreate[] = {
    {"Process ID", AttributeType::kText, kUsed, "processId"},
    {"Name", AttributeType::kText, kUnused, "name"},
    {"PID", AttributeType::kInteger, kUsed, "pid"},
    {"Node ID Ref", AttributeType::kText, kUsed, "nodeIdRef"},
    {"Timestamp", AttributeType::kLong, kUsed, "time"},
    {"Executable", AttributeType::kText, kUnused, "executable"},
};
constexpr Attribute kAgentCreate[] = {
    {"Agent ID", AttributeType::kText, kUsed, "agentId"},
    {"Process ID", AttributeType::kText, kUsed, "processIdRef"},
    {"Name", AttributeType::kText, kUsed, "agentName"},
    {"Type", AttributeType::kText, kUsed, "agentType"},
    {"Timestamp", AttributeType::kLong, kUsed, "time"},
    {"Parameters", AttributeType::kText, kUsed, "agentParameters"},
    {"Version", AttributeType::kText, kUsed, "version"},
};
constexpr Attribute kAgentDestroy[] = {
    {"Agent ID", AttributeType::kText, kUsed, "agentIdRef"},
    {"Timestamp", AttributeType::kLong, kUsed, "time"},
};
constexpr Attribute kTraceStart[] = {
    {"Trace ID", AttributeType::kText, kUsed, "traceId"},
    {"Agent ID", AttributeType::kText, kUsed, "agentIdRef"},
    {"Timestamp", AttributeType::kLong, kUsed, "time"},
    {"Collation value", AttributeType::kText, kUnused, "collationValue"},
};
constexpr Attribute kTraceEnd[] = {
    {"Trace ID", AttributeType::kText, kUnused, "traceIdRef"},
    {"Timestamp", AttributeType::kLong, kUsed, "time"},
    {"Collation value", AttributeType::kText, kUnused, "collationValue"},
};
constexpr Attribute kFilter[] = {
    {"Trace ID", AttributeType::kText, kUsed, "traceIdRef"},
    {"Pattern", AttributeType::kText, kUsed, "pattern"},
    {"Generic pattern", AttributeType::kText, kUsed, "genericPattern"},
    {"Mode", AttributeType::kText, kUsed, "mode"},
    {"Method pattern", AttributeType::kText, kUsed, "methodPattern"},
    {"Method generic pattern", AttributeType::kText, kUsed, "methodGenericPattern"},
    {"Method mode", AttributeType::kText, kUsed, "methodMode"},
};
constexpr Attribute kOption[] = {
    {"Trace ID", AttributeType::kText, kUnused, "traceIdRef"},
    {"Key", AttributeType::kText, kUsed, "key"},
    {"Value", AttributeType::kText, kUsed, "value"},
};
constexpr Attribute kThreadStart[] = {
    {"Transient thread ID", AttributeType::kLong, kUnused, "transientThreadId"},
    {"Thread ID", AttributeType::kLong, kUsed, "threadId"},
    {"Timestamp", AttributeType::kLong, kUsed, "time"},
    {"Group name", AttributeType::kText, kUsed, "groupName"},
    {"Parent group name", AttributeType::kText, kUsed, "parentName"},
    {"Transient object ID", AttributeType::kLong, kUnused, "transientObjIdRef"},
    {"Object ID", AttributeType::kLong, kUsed, "objIdRef"},
    {"Thread name", AttributeType::kText, kUsed, "threadName"},
    {"Collation value", AttributeType::kText, kUnused, "collationValue"},
    {"Trace ID", AttributeType::kText, kUnused, "traceIdRef"},
};
constexpr Attribute kThreadEnd[] = {
    {"Transient thread ID", AttributeType::kLong, kUnused, "transientThreadIdRef"},
    {"Thread ID", AttributeType::kLong, kUsed, "threadIdRef"},
    {"Timestamp", AttributeType::kLong, kUsed, "time"},
    {"Collation value", AttributeType::kText, kUnused, "collationValue"},
    {"Trace ID", AttributeType::kText, kUnused, "traceIdRef"},
};
constexpr Attribute kClassDef[] = {
    {"Transient thread ID", AttributeType::kLong, kUnused, "transientThreadIdRef"},
    {"Thread ID", AttributeType::kLong, kUnused, "threadIdRef"},
    {"Timestamp", AttributeType::kLong, kUsed, "time"},
    {"Number of interfaces", AttributeType::kInteger, kUnused, "numInterfaces"},
    {"Interface names", AttributeType::kText, kUnused, "interfaceNames"},
    {"Transient class ID", AttributeType::kLong, kUnused, "transientClassId"},
    {"Class ID", AttributeType::kLong, kUsed, "classId"},
    {"Source name", AttributeType::kText, kUsed, "sourceName"},
    {"Class loader", AttributeType::kText, kUnused, "classLoader"},
    {"Super class", AttributeType::kText, kUnused, "superclass"},
    {"Transient object ID", AttributeType::kLong, kUnused, "transientObjIdRef"},
    {"Object ID", AttributeType::kLong, kUnused, "objIdRef"},
    {"Name", AttributeType::kText, kUsed, "name"},
    {"Access", AttributeType::kText, kUnused, "access"},
    {"Number of static fields", AttributeType::kInteger, kUnused, "numStaticFields"},
    {"Number of methods", AttributeType::kInteger, kUnused, "numMethods"},
    {"Number of instance fields", AttributeType::kInteger, kUnused, "numInstanceFields"},
    {"Collation value", AttributeType::kText, kUnused, "collationValue"},
    {"Trace ID", AttributeType::kText, kUnused, "traceIdRef"},
};
constexpr Attribute kMethodDef[] = {
    {"Name", AttributeType::kText, kUsed, "name"},
    {"Signature", AttributeType::kText, kUnused, "signature"},
    {"Is native", AttributeType::kByte, kUnused, "isNative"},
    {"Is abstract", AttributeType::kByte, kUnused, "isAbstract"},
    {"Is static", AttributeType::kByte, kUnused, "isStatic"},
    {"Is synchronized", AttributeType::kByte, kUnused, "isSynchronized"},
    {"Exceptions", AttributeType::kText, kUnused, "exceptions"},
    {"Start line", AttributeType::kLong, kUsed, "startLineNumber"},
    {"End line", AttributeType::kLong, kUsed, "endLineNumber"},
    {"Signature notation", AttributeType::kText, kUnused, "signatureNotation"},
    {"Transient class ID", AttributeType::kLong, kUnused, "transientClassIdRef"},
    {"Class ID", AttributeType::kLong, kUsed, "classIdRef"},
    {"Method ID", AttributeType::kLong, kUsed, "methodId"},
    {"Collation value", AttributeType::kText, kUnused, "collationValue"},
    {"Trace ID", AttributeType::kText, kUnused, "traceIdRef"},
};
constexpr Attribute kObjAlloc[] = {
    {"Transient thread ID", AttributeType::kLong, kUnused, "transientThreadIdRef"},
    {"Thread ID", AttributeType::kLong, kUsed, "threadIdRef"},
    {"Timestamp", AttributeType::kLong, kUsed, "time"},
    {"Is array", AttributeType::kByte, kUsed, "isArray"},
    {"Transient object ID", AttributeType::kLong, kUnused, "transientObjId"},
    {"Object ID", AttributeType::kLong, kUsed, "objId"},
    {"Size", AttributeType::kLong, kUsed, "size"},
    {"Line", AttributeType::kLong, kUsed, "lineNumber"},
    {"Method ID", AttributeType::kLong, kUsed, "methodIdRef"},
    {"Transient class ID", AttributeType::kLong, kUnused, "transientClassIdRef"},
    {"Class ID", AttributeType::kLong, kUsed, "classIdRef"},
    {"Context data", AttributeType::kText, kUnused, "contextData"},
    {"Collation value", AttributeType::kText, kUnused, "collationValue"},
    {"Trace ID", AttributeType::kText, kUnused, "traceIdRef"},
};
constexpr Attribute kMethodEntry[] = {
    {"Transient thread ID", AttributeType::kLong, kUnused, "transientThreadIdRef"},
    {"Thread ID", AttributeType::kLong, kUsed, "threadIdRef"},
    {"Timestamp", AttributeType::kLong, kUsed, "time"},
    {"Method ID", AttributeType::kLong, kUsed, "methodIdRef"},
    {"Ticket", AttributeType::kInteger, kUsed, "ticket"},
    {"Transient object ID", AttributeType::kLong, kUnused, "transientObjIdRef"},
    {"Class ID", AttributeType::kLong, kUsed, "classIdRef"},
    {"Thread CPU time", AttributeType::kLong, kUnused, "threadCpuTime"},
    {"Sequence counter", AttributeType::kLong, kUnused, "sequenceCounter"},
    {"Stack depth", AttributeType::kLong, kUsed, "stackDepth"},
    {"Collation value", AttributeType::kText, kUnused, "collationValue"},
    {"Trace ID", AttributeType::kText, kUnused, "traceIdRef"},
};
constexpr Attribute kMethodExit[] = {
    {"Transient thread ID", AttributeType::kLong, kUnused, "transientThreadIdRef"},
    {"Thread ID", AttributeType::kLong, kUsed, "threadIdRef"},
    {"Timestamp", AttributeType::kLong, kUsed, "time"},
    {"Ticket", AttributeType::kInteger, kUsed, "ticket"},
    {"Thread CPU time", AttributeType::kLong, kUsed, "threadCpuTime"},
    {"Method ID", AttributeType::kLong, kUnused, "methodIdRef"},
    {"Transient object ID", AttributeType::kLong, kUnused, "transientObjIdRef"},
    {"Object ID", AttributeType::kLong, kUnused, "objIdRef"},
    {"Transient class ID", AttributeType::kLong, kUsed, "transientClassIdRef"},
    {"Class ID", AttributeType::kLong, kUnused, "classIdRef"},
    {"Sequence counter", AttributeType::kText, kUnused, "sequenceCounter"},
    {"Collation value", AttributeType::kText, kUnused, "collationValue"},
    {"Trace ID", AttributeType::kText, kUnused, "traceIdRef"},
};
constexpr Attribute kGcStart[] = {
    {"Transient thread ID", AttributeType::kLong, kUnused, "transientThreadIdRef"},
    {"Thread ID", AttributeType::kLong, kUnused, "threadIdRef"},
    {"Timestamp", AttributeType::kLong, kUsed, "time"},
    {"Collation value", AttributeType::kText, kUnused, "collationValue"},
    {"Trace ID", AttributeType::kText, kUnused, "traceIdRef"},
};
constexpr Attribute kObjFree[] = {
    {"Transient thread ID", AttributeType::kLong, kUnused, "transientThreadIdRef"},
    {"Thread ID", AttributeType::kLong, kUnused, "threadIdRef"},
    {"Timestamp", AttributeType::kLong, kUsed, "time"},
    {"Transient object ID", AttributeType::kLong, kUnused, "transientObjIdRef"},
    {"Object ID", AttributeType::kLong, kUsed, "objIdRef"},
    {"Object age", AttributeType::kLong, kUsed, "objAge"},
    {"Sequence counter", AttributeType::kLong, kUnused, "sequenceCounter"},
    {"Stack depth", AttributeType::kLong, kUnused, "stackDepth"},
    {"Collation value", AttributeType::kText, kUnused, "collationValue"},
    {"Trace ID", AttributeType::kText, kUnused, "traceIdRef"},
};
constexpr Attribute kGcFinish[] = {
    {"Transient thread ID", AttributeType::kLong, kUnused, "transientThreadIdRef"},
    {"Thread ID", AttributeType::kLong, kUnused, "threadIdRef"},
    {"Timestamp", AttributeType::kLong, kUsed, "time"},
    {"Total object space", AttributeType::kLong, kUnused, "totalObjSpace"},
    {"Used object space", AttributeType::kLong, kUnused, "usedObjSpace"},
    {"Used object", AttributeType::kLong, kUnused, "usedObjects"},
    {"Collation value", AttributeType::kText, kUnused, "collationValue"},
    {"Trace ID", AttributeType::kText, kUnused, "traceIdRef"},
};
constexpr Attribute kRuntimeInitDone[] = {
    {"Transient thread ID", AttributeType::kLong, kUnused, "transientThreadIdRef"},
    {"Thread ID", AttributeType::kLong, kUsed, "threadIdRef"},
    {"Timestamp", AttributeType::kLong, kUsed, "time"},
    {"Collation value", AttributeType::kText, kUnused, "collationValue"},
    {"Trace ID", AttributeType::kText, kUnused, "traceIdRef"},
};
constexpr Attribute kRuntimeShutdown[] = {
    {"Transient thread ID", AttributeType::kLong, kUnused, "transientThreadIdRef"},
    {"Thread ID", AttributeType::kLong, kUsed, "threadIdRef"},
    {"Timestamp", AttributeType::kLong, kUsed, "time"},
    {"Collation value", AttributeType::kText, kUnused, "collationValue"},
    {"Trace ID", AttributeType::kText, kUnused, "traceIdRef"},
};
constexpr Attribute kMonWait[] = {
    {"Thread ID", AttributeType::kLong, kUsed, "threadIdRef"},
    {"Timestamp", AttributeType::kLong, kUsed, "time"},
    {"Object ID", AttributeType::kLong, kUsed, "objIdRef"},
    {"Timeout", AttributeType::kLong, kUsed, "timeout"},
    {"Stack depth", AttributeType::kInteger, kUsed, "stackDepth"},
    {"Stack methods", AttributeType::kTexts, kUsed, "stackMethods"},
    {"Stack lines", AttributeType::kLongs, kUsed, "stackLines"},
};
constexpr Attribute kMonWaited[] = {
    {"Thread ID", AttributeType::kLong, kUsed, "threadIdRef"},
    {"Timestamp", AttributeType::kLong, kUsed, "time"},
    {"Object ID", AttributeType::kLong, kUsed, "objIdRef"},
    {"Timeout", AttributeType::kLong, kUsed, "timeout"},
    {"Stack depth", AttributeType::kInteger, kUsed, "stackDepth"},
    {"Stack methods", AttributeType::kTexts, kUsed, "stackMethods"},
    {"Stack lines", AttributeType::kLongs, kUsed, "stackLines"},
};
constexpr Attribute kMonContendedEnter[] = {
    {"Thread ID", AttributeType::kLong, kUsed, "threadIdRef"},
    {"Timestamp", AttributeType::kLong, kUsed, "time"},
    {"Object ID", AttributeType::kLong, kUsed, "objIdRef"},
    {"Thread owner ID", AttributeType::kLong, kUsed, "threadOwnerIdRef"},
    {"Stack depth", AttributeType::kInteger, kUsed, "stackDepth"},
    {"Stack methods", AttributeType::kTexts, kUsed, "stackMethods"},
    {"Stack lines", AttributeType::kLongs, kUsed, "stackLines"},
};
constexpr Attribute kMonContendedEntered[] = {
    {"Thread ID", AttributeType::kLong, kUsed, "threadIdRef"},
    {"Timestamp", AttributeType::kLong, kUsed, "time"},
    {"Object ID", AttributeType::kLong, kUsed, "objIdRef"},
    {"Stack depth", AttributeType::kInteger, kUsed, "stackDepth"},
    {"Stack methods", AttributeType::kTexts, kUsed, "stackMethods"},
    {"Stack lines", AttributeType::kLongs, kUsed, "stackLines"},
};
constexpr Attribute kAgMethodEntry[] = {
    {"Thread ID", AttributeType::kLong, kUsed, "threadIdRef"},
    {"Method ID", AttributeType::kLong, kUsed, "methodIdRef"},
    {"Base time", AttributeType::kLong, kUsed, "baseTime"},
    {"Minimum time", AttributeType::kLong, kUsed, "minTime"},
    {"Maximum time", AttributeType::kLong, kUsed, "maxTime"},
    {"Base CPU time", AttributeType::kLong, kUsed, "baseCpuTime"},
    {"Number of calls", AttributeType::kLong, kUsed, "numCalls"},
};
constexpr Attribute kAgMethodExit[] = {
    {"Thread ID", AttributeType::kLong, kUsed, "threadIdRef"},
    {"Method ID", AttributeType::kLong, kUsed, "methodIdRef"},
};
constexpr Attribute kHdStart[] = {
    {"Heap dump ID", AttributeType::kLong, kUsed, "heapDumpId"},
    {"Timestamp", AttributeType::kLong, kUsed, "time"},
    {"Name", AttributeType::kText, kUsed, "name"},
    {"Base time", AttributeType::kLong, kUsed, "baseTime"},
};
constexpr Attribute kGcRoot[] = {
    {"Class ID", AttributeType::kLong, kUsed, "classIdRef"},
    {"Object ID", AttributeType::kLong, kUsed, "objIdRef"},
    {"Type", AttributeType::kText, kUsed, "type"},
};
constexpr Attribute kObjRef[] = {
    {"Source ID", AttributeType::kLong, kUsed, "sourceIdRef"},
    {"Target ID", AttributeType::kLong, kUsed, "targetIdRef"},
    {"Heap dump ID", AttributeType::kLong, kUsed, "heapDumpIdRef"},
};
constexpr Attribute kCustom[] = {
    {"Custom body", AttributeType::kText, kUsed, "body"},
};

constexpr MessageType kTypes[] = {
    type_of(1001, "node", kNode),
    type_of(1002, "processCreate", kProcessCreate),
    type_of(1003, "agentCreate", kAgentCreate),
    type_of(1004, "agentDestroy", kAgentDestroy),
    type_of(1005, "traceStart", kTraceStart),
    type_of(1006, "traceEnd", kTraceEnd),
    type_of(1007, "filter", kFilter),
    type_of(1008, "option", kOption),
    type_of(1009, "threadStart", kThreadStart),
    type_of(1010, "threadEnd", kThreadEnd),
    type_of(1011, "classDef", kClassDef),
    type_of(1012, "methodDef", kMethodDef),
    type_of(1014, "objAlloc", kObjAlloc),
    type_of(1015, "methodEntry", kMethodEntry),
    type_of(1016, "methodExit", kMethodExit),
    type_of(1023, "gcStart", kGcStart),
    type_of(1024, "objFree", kObjFree),
    type_of(1027, "gcFinish", kGcFinish),
    type_of(1030, "runtimeInitDone", kRuntimeInitDone),
    type_of(1031, "runtimeShutdown", kRuntimeShutdown),
    type_of(1032, "monWait", kMonWait),
    type_of(1033, "monWaited", kMonWaited),
    type_of(1034, "monContendedEnter", kMonContendedEnter),
    type_of(1035, "monContendedEntered", kMonContendedEntered),
    type_of(1036, "agMethodEntry", kAgMethodEntry),
    type_of(1037, "agMethodExit", kAgMethodExit),
    type_of(1038, "hdStart", kHdStart),
    type_of(1039, "gcRoot", kGcRoot),
    type_of(1040, "objRef", kObjRef),
    type_of(1041, "custom", kCustom),
};
constexpr std::uint16_t kLastId = 1041;

// By id - kFirstDataId: one more than the place in kTypes, or 0.
constexpr std::array<std::uint8_t, kLastId - kFirstDataId + 1> kPlaces = [] {
  std::array<std::uint8_t, kLastId - kFirstDataId + 1> places{};
  for (std::size_t i = 0; i < std::size(kTypes); ++i) {
    places[kTypes[i].id - kFirstDataId] = static_cast<std::uint8_t>(i + 1);
  }
  return places;
}();

constexpr bool fits() {
  for (const MessageType& type : kTypes) {
    if (type.attributes.size() > kMostAttributes) return false;
  }
  return true;
}
static_assert(fits());

}  // namespace

std::span<const MessageType> message_types() {
  return kTypes;
}

const MessageType* find_message_type(std::uint16_t id) {
  if (id < kFirstDataId || id > kLastId) return nullptr;
  const std::uint8_t place = kPlaces[id - kFirstDataId];
  return place == 0 ? nullptr : &kTypes[place - 1];
}

const MessageType* find_message_type(std::string_view tag) {
  for (const MessageType& type : kTypes) {
    if (type.tag == tag) return &type;
  }
  return nullptr;
}

}  // namespace ringside::tool::tptp
