#pragma once
// The messages of the TPTP binary format and of its XML form: their names and attributes.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace ringside::tool::tptp {

enum class AttributeType : std::uint8_t {
  kByte,     // 1 byte, signed
  kInteger,  // 4 bytes
  kLong,     // 8 bytes
  kText,     // up to a zero byte
  kTexts,    // their number is the integer before them
  kLongs,    // their number is the integer before the texts
};

struct Attribute {
  std::string_view label;  // in the format's description
  AttributeType type = AttributeType::kLong;
  bool used = false;     // XML has it even if it has its default value, 0 or empty
  std::string_view xml;  // the attribute's name there
};

struct MessageType {
  static constexpr std::size_t kNone = SIZE_MAX;

  std::uint16_t id = 0;
  std::string_view tag;  // the element's name in XML
  std::span<const Attribute> attributes;
  std::size_t time = kNone;    // index of the attribute with the time of the event
  std::size_t thread = kNone;  // index of its thread
  std::size_t trace = kNone;   // index of its trace
  std::size_t depth = kNone;  // index of the number of frames, which are in the next two attributes

  std::size_t find(std::string_view xml) const {
    for (std::size_t i = 0; i < attributes.size(); ++i) {
      if (attributes[i].xml == xml) return i;
    }
    return kNone;
  }
};

inline constexpr std::size_t kMostAttributes = 19;
inline constexpr std::uint16_t kFirstDataId = 1001;

inline constexpr std::uint16_t kEncodingId = 1;
inline constexpr std::uint16_t kFrequencyId = 2;

inline constexpr std::uint16_t kNodeId = 1001;
inline constexpr std::uint16_t kProcessCreateId = 1002;
inline constexpr std::uint16_t kAgentCreateId = 1003;
inline constexpr std::uint16_t kAgentDestroyId = 1004;
inline constexpr std::uint16_t kTraceStartId = 1005;
inline constexpr std::uint16_t kTraceEndId = 1006;
inline constexpr std::uint16_t kFilterId = 1007;
inline constexpr std::uint16_t kOptionId = 1008;
inline constexpr std::uint16_t kThreadStartId = 1009;
inline constexpr std::uint16_t kThreadEndId = 1010;
inline constexpr std::uint16_t kClassDefId = 1011;
inline constexpr std::uint16_t kMethodDefId = 1012;
inline constexpr std::uint16_t kMethodEntryId = 1015;
inline constexpr std::uint16_t kMethodExitId = 1016;
inline constexpr std::uint16_t kAgMethodEntryId = 1036;
inline constexpr std::uint16_t kAgMethodExitId = 1037;
inline constexpr std::uint16_t kCustomId = 1041;

std::span<const MessageType> message_types();

// Null if there is none.
const MessageType* find_message_type(std::uint16_t id);
const MessageType* find_message_type(std::string_view tag);

}  // namespace ringside::tool::tptp
