#pragma once
// The parsed metadata of a CTF trace.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ringside::tool::ctf {

enum class TypeKind : std::uint8_t {
  kInteger,
  kFloat,
  kEnum,
  kString,
  kArray,
  kSequence,
  kStruct,
  kVariant,
};

enum class ByteOrder : std::uint8_t { kNative, kLittle, kBig };

struct Type;
using TypePointer = std::shared_ptr<const Type>;

struct Member {
  std::string name;  // as declared, underscores included
  TypePointer type;
};

struct EnumRange {
  std::uint64_t first = 0;  // the number's bits if it is signed
  std::uint64_t last = 0;
  std::string label;
};

// The meaning of a field for the reader of packets and events: CTF 2 states it as a role, CTF 1.8
// by the field's name.
enum class Role : std::uint8_t {
  kMagic,  // of a packet's header
  kUuid,
  kStreamClassId,
  kStreamId,
  kTotalBits,  // of a packet's context
  kContentBits,
  kEndTimestamp,
  kDiscarded,
  kSequence,
  kTimestamp,     // of a packet's context and an event's header
  kEventClassId,  // of an event's header
};
inline constexpr std::size_t kRoles = 11;

constexpr std::uint16_t bit_of(Role role) {
  return static_cast<std::uint16_t>(1U << static_cast<unsigned>(role));
}

// The location of a length or a selector in CTF 2.
struct FieldLocation {
  std::string origin;                            // "packet-header", ...; empty: the structure
  std::vector<std::optional<std::string>> path;  // an empty entry: the enclosing structure
};

struct Type {
  TypeKind kind = TypeKind::kInteger;
  std::uint32_t align_bits = 1;  // a power of two
  // For integers and floats; an enumeration has its container's.
  std::uint32_t bits = 0;  // 1 to 64
  bool is_signed = false;
  bool is_text = false;  // has an encoding
  ByteOrder order = ByteOrder::kNative;
  std::uint32_t base = 10;
  std::string clock;              // the clock whose value it holds
  std::vector<EnumRange> ranges;  // of an enumeration; of a variant of CTF 2, of its tag
  TypePointer element;            // of arrays and sequences
  std::uint64_t length = 0;       // of arrays
  std::string reference;          // names with dots of a sequence's length or a variant's tag
  std::vector<Member> members;    // of structures and variants

  // In CTF 2 names have no meaning. A name that begins with an underscore has one more underscore
  // here.
  bool is_json = false;
  bool is_variable = false;  // LEB128
  bool is_reversed = false;  // the bit order is not the usual one for its byte order
  bool is_boolean = false;
  bool is_selector = false;     // an integer, or a boolean
  std::uint8_t unit_bytes = 1;  // of strings: 2 of UTF-16, 4 of UTF-32
  std::uint8_t height = 0;      // nesting depth
  std::uint16_t roles = 0;
  std::shared_ptr<const FieldLocation> location;  // instead of `reference`
};

struct Clock {
  std::uint64_t frequency = 1'000'000'000;
  std::int64_t offset_s = 0;
  std::int64_t offset = 0;  // ticks

  // As Unix time if the clock is absolute; clamped to 63 bits.
  std::uint64_t unix_ns(std::uint64_t ticks) const;
};

struct EventDescription {
  std::uint64_t id = 0;
  std::uint64_t stream_id = 0;
  std::string name;
  std::optional<std::uint64_t> loglevel;
  std::string model_uri;
  TypePointer context;  // or null
  TypePointer fields;   // or null
};

struct StreamDescription {
  std::uint64_t id = 0;
  std::string clock;           // of CTF 2: its default clock, or empty
  TypePointer packet_context;  // each may be null
  TypePointer event_header;
  TypePointer event_context;
};

struct Metadata {
  std::uint64_t major = 0;
  std::uint64_t minor = 0;
  std::string uuid;
  std::optional<std::array<std::uint8_t, 16>> stream_uuid;  // of CTF 2: packets must have this UUID
  bool big_endian = false;
  TypePointer packet_header;  // or null
  std::map<std::string, Clock> clocks;
  std::map<std::string, std::string> env;  // numbers as text
  std::map<std::uint64_t, StreamDescription> streams;
  std::vector<EventDescription> events;

  // The clock that a field is mapped to by the name `clock`. If `clock` is empty (a field whose
  // name marks it as a time), the only clock, or nanoseconds of Unix time. Null if there is none.
  const Clock* find_clock(const std::string& clock) const;
};

// What is wrong, and its offset in the text (of a packetised file: without the heads of its
// packets).
struct MetadataError {
  std::uint64_t offset = 0;
  std::string message;
};

// Parses either version. Null with `*error`.
std::unique_ptr<Metadata> parse_metadata(std::string_view tsdl, MetadataError* error);

// Parses metadata of CTF 2, whose text begins with a record separator.
bool is_json_metadata(std::string_view text);
std::unique_ptr<Metadata> parse_json_metadata(std::string_view text, MetadataError* error);

// Checks a file's first bytes: TSDL's signature, the magic of a packetised file, or JSON of CTF 2.
bool is_metadata(std::string_view first_bytes);

// The text in the file's bytes. False with `*error` (offset in the file).
bool metadata_text(std::string_view file, std::string* tsdl, MetadataError* error);

}  // namespace ringside::tool::ctf
