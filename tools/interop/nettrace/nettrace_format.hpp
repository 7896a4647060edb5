#pragma once
// The elements of EventPipe's files: NetTrace (docs of the .NET runtime: "EventPipe (File)
// Format"), versions 4 and 5, and NetPerf (PerfView's docs: "EventPipe NetPerf Format"), versions 1
// to 3. Everything is little-endian.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace ringside::tool::nettrace {

inline constexpr std::string_view kMagic = "Nettrace";
inline constexpr std::string_view kSerialization = "!FastSerialization.1";

enum class Tag : std::uint8_t {
  kNullReference = 1,
  kObjectReference = 2,
  kForwardReference = 3,
  kBeginObject = 4,
  kBeginPrivateObject = 5,
  kEndObject = 6,
  kForwardDefinition = 7,
  kByte = 8,
  kInt16 = 9,
  kInt32 = 10,
  kInt64 = 11,
  kSkipRegion = 12,
  kString = 13,
  kBlob = 14,
};

inline constexpr std::string_view kTraceType = "Trace";
inline constexpr std::string_view kNetperfTraceType = "Microsoft.DotNet.Runtime.EventPipeFile";
inline constexpr std::string_view kEventBlockType = "EventBlock";
inline constexpr std::string_view kMetadataBlockType = "MetadataBlock";
inline constexpr std::string_view kStackBlockType = "StackBlock";
inline constexpr std::string_view kSequencePointType = "SPBlock";

inline constexpr std::int32_t kTraceVersion = 4;
inline constexpr std::int32_t kBlockVersion = 2;
inline constexpr std::size_t kTraceBytes = 48;
// NetPerf. Before version 3, the trace object contains the events, without blocks.
inline constexpr std::int32_t kNetperfVersion = 3;
inline constexpr std::int32_t kNetperfBlockVersion = 1;
inline constexpr std::size_t kTraceBytesBeforeVersion3 = 36;
inline constexpr std::size_t kBlockHeaderBytes = 20;

inline constexpr std::uint16_t kBlockCompressed = 1;

// Bits in the first byte of a compressed event.
inline constexpr unsigned kHasMetadataId = 1;
inline constexpr unsigned kHasSequence = 2;
inline constexpr unsigned kHasThread = 4;
inline constexpr unsigned kHasStack = 8;
inline constexpr unsigned kHasActivity = 16;
inline constexpr unsigned kHasRelatedActivity = 32;
inline constexpr unsigned kIsSorted = 64;
inline constexpr unsigned kHasPayloadBytes = 128;

// A bit in the metadata id of an uncompressed event.
inline constexpr std::uint32_t kNotSorted = 0x8000'0000;

inline constexpr std::uint32_t kUnknownProcessor = 0xFFFF'FFFF;

// .NET's TypeCode, and EventPipe's additions.
enum class TypeCode : std::uint32_t {
  kObject = 1,
  kBoolean = 3,  // 4 bytes
  kChar = 4,     // a UTF-16 code unit
  kSByte = 5,
  kByte = 6,
  kInt16 = 7,
  kUInt16 = 8,
  kInt32 = 9,
  kUInt32 = 10,
  kInt64 = 11,
  kUInt64 = 12,
  kSingle = 13,
  kDouble = 14,
  kDecimal = 15,   // 16 bytes
  kDateTime = 16,  // 8 bytes
  kGuid = 17,
  kString = 18,  // UTF-16, ends with a null character
  kArray = 19,   // u16 count, elements
};

// Kinds of tags after a metadata record's fields.
inline constexpr std::uint8_t kTagOpcode = 1;
inline constexpr std::uint8_t kTagV2Fields = 2;

// .NET's opcodes of events that begin and end something.
inline constexpr std::uint8_t kOpcodeStart = 1;
inline constexpr std::uint8_t kOpcodeStop = 2;

using Guid = std::array<std::uint8_t, 16>;

inline bool is_zero(const Guid& guid) {
  std::array<std::uint64_t, 2> halves{};
  std::memcpy(halves.data(), guid.data(), guid.size());
  return (halves[0] | halves[1]) == 0;
}

struct TraceFacts {
  std::int32_t version = kTraceVersion;
  std::int32_t min_reader_version = 0;
  // Year, month, day of the week, day, hour, minute, second, millisecond.
  std::array<std::uint16_t, 8> sync_time{};
  std::int64_t sync_qpc = 0;
  std::int64_t qpc_frequency = 0;
  std::int32_t pointer_bytes = 0;
  std::int32_t process_id = 0;
  std::int32_t processors = 0;
  std::int32_t sampling_rate = 0;
};

struct ObjectFacts {
  std::string type;
  std::int32_t version = 0;
  std::int32_t min_reader_version = 0;
  std::uint64_t offset = 0;  // of its first byte
  std::uint64_t bytes = 0;   // the stated size of its block; for a trace object, that of its fields
};

struct BlockFacts {
  std::uint16_t header_bytes = 0;
  bool compressed = false;
  bool metadata = false;
  // Any time, in versions that do not state them.
  std::uint64_t min_timestamp = 0;
  std::uint64_t max_timestamp = UINT64_MAX;
};

// An event, or a metadata record; then `payload` is the description.
struct Blob {
  std::uint64_t offset = 0;  // in the file
  std::uint32_t metadata_id = 0;
  std::uint32_t sequence = 0;
  std::uint64_t thread = 0;
  std::uint64_t capture_thread = 0;
  std::uint32_t processor = 0;
  std::uint32_t stack_id = 0;
  std::uint64_t timestamp = 0;
  Guid activity{};
  Guid related{};
  bool sorted = false;
  std::uint8_t flags = 0;  // the first byte of a compressed event
  std::uint32_t payload_bytes = 0;
  std::span<const std::byte> payload;
  std::span<const std::byte> stack;  // its addresses, in versions 1 to 3, which have no stack ids
};

}  // namespace ringside::tool::nettrace
